import { sha256Hex } from "../../crypto/digests.ts";
import { readNextProbe } from "../../db/queue/senders.ts";
import {
  beginSubmission,
  dropSubmission,
  finishSubmission,
  leaseSubmission,
  type SubmissionId,
} from "../../db/templates/template_submissions.ts";
import { AppError, keyReused } from "../../errors.ts";
import { type CreateOutcome, createTemplate } from "../../gateways/whatsapp/create_template.ts";
import { platformUnavailable } from "../../gateways/whatsapp/errors.ts";
import { findPlatformTemplate, templateStatus } from "../../gateways/whatsapp/list_templates.ts";
import { type TemplateFacts, templateFromPlatform, templateRow } from "../template.ts";
import { findComponent } from "../template_texts.ts";
import { uuidv7 } from "../../values/uuid.ts";
import type { NewTemplate } from "./read_template_request.ts";
import {
  confirmSubmitted,
  keepLeased,
  LEASE_S,
  type Submission,
  type SubmitContext,
  type Submitted,
} from "./submission.ts";
import { alreadyExists, keyInUse, refusalOf, undecided } from "./submission_refusals.ts";
import { uploadSampleFiles } from "./upload_sample_file.ts";

/**
 * Submits a template for review and stores it as the platform returned it.
 *
 * The submission is recorded before the request to the platform. If the process dies in between, the next request for
 * the same name, or a sync, checks whether the platform has the template. Nothing half-made is ever listed or sent.
 *
 * Throws `validation_failed` when the platform refuses the template, in its words, and for a name that the account has
 * already; `service_unavailable` (502) when the platform cannot be reached, refuses the sender's token, or did not say
 * whether it took the template;
 * `idempotency_key_in_use` and `idempotency_key_reused`.
 */
export async function submitTemplate(context: SubmitContext, submission: Submission): Promise<Submitted> {
  const { sql } = context;
  const { companyId, wabaId, template, idempotency } = submission;
  const id: SubmissionId = { companyId, id: uuidv7() };
  const begun = await beginSubmission(sql, companyId, {
    id: id.id,
    waba_id: wabaId,
    name: template.name,
    language: template.language,
    content_hash: sha256Hex(JSON.stringify([template.category, template.components])),
    lease_s: LEASE_S,
    idempotency,
  });
  switch (begun.outcome) {
    case "replayed":
      return { templateId: null, response: begun.answer, replayed: true, confirm: () => Promise.resolve() };
    case "key_reused":
      throw AppError.from(keyReused());
    case "in_use":
      throw keyInUse(begun.wait_s ?? LEASE_S);
    case "exists":
      throw alreadyExists(template, {
        template_id: begun.template_id,
        current_status: begun.template_status,
      });
  }
  const lease = keepLeased(sql, id);
  try {
    const known = begun.outcome === "taken_over" ? await findKnown(context, submission, id) : undefined;
    if (known !== undefined) return await takeKnown(context, submission, id, known, begun.repeated);
    return await submit(context, submission, id);
  } catch (error) {
    throw await withNextProbe(context, submission, error);
  } finally {
    await lease.stop();
  }
}

async function submit(context: SubmitContext, submission: Submission, id: SubmissionId): Promise<Submitted> {
  const components = await uploadSampleFiles(context, submission)
    .catch((error) => dropAndThrow(context, id, error));
  const { wabaId, token, template: { name, language, category } } = submission;
  const call = { wabaId, token, name, language, category, components };
  const outcome = await createTemplate(context.whatsapp, call, context);
  if (outcome.kind === "created") {
    return await finish(context, submission, id, createdFacts(submission.template, components, outcome));
  }
  if (outcome.kind !== "unknown") {
    return await dropAndThrow(context, id, refusalOf(outcome));
  }
  const known = await findKnown(context, submission, id, outcome);
  if (known !== undefined) return await takeKnown(context, submission, id, known, true);
  await leaseSubmission(context.sql, id, 0);
  throw refusalOf(outcome);
}

/** Finds the template that the platform has under the name. Without a response, the submission stays undecided. */
async function findKnown(
  context: SubmitContext,
  { wabaId, token, template: { name, language } }: Submission,
  id: SubmissionId,
  submitted?: Extract<CreateOutcome, { kind: "unknown" }>,
): Promise<TemplateFacts | undefined> {
  try {
    const found = await findPlatformTemplate(context.whatsapp, { wabaId, token, name, language }, context);
    return found && templateFromPlatform(found);
  } catch (error) {
    await leaseSubmission(context.sql, id, 0);
    throw error instanceof AppError ? undecided(error, submitted) : error;
  }
}

/** Handles a template that the platform has under this name: that of an earlier attempt of ours, or another's. */
async function takeKnown(
  context: SubmitContext,
  submission: Submission,
  id: SubmissionId,
  known: TemplateFacts,
  repeated: boolean,
): Promise<Submitted> {
  const ours = repeated && bodyOf(known) === bodyOf(submission.template);
  if (ours) return await finish(context, submission, id, known);
  const stored = await finish(context, { ...submission, idempotency: null, by: null }, id, known);
  throw alreadyExists(submission.template, { template_id: stored.templateId, current_status: known.status });
}

/**
 * Returns the body without differences of white space, to compare templates by it. In category AUTHENTICATION the platform
 * writes the body, so there is none to compare.
 */
function bodyOf({ category, components }: Pick<TemplateFacts, "category" | "components">): string {
  const text = findComponent(components, "BODY")?.text ?? "";
  return category === "AUTHENTICATION" ? "" : text.replaceAll(/\s+/g, " ").trim();
}

async function finish(
  context: SubmitContext,
  submission: Submission,
  id: SubmissionId,
  facts: TemplateFacts,
): Promise<Submitted> {
  const row = { ...templateRow(facts), waba_id: submission.wabaId };
  const { template_id, version, answer } = await finishSubmission(
    context.sql,
    id,
    row,
    submission,
  );
  const confirm = () => confirmSubmitted(context, submission, { templateId: template_id, version });
  return { templateId: template_id, response: answer, replayed: false, confirm };
}

function createdFacts(
  { name, language, category }: NewTemplate,
  components: NewTemplate["components"],
  created: Extract<CreateOutcome, { kind: "created" }>,
): TemplateFacts {
  return {
    platformTemplateId: created.id,
    name,
    language,
    category: (created.category ?? category).toUpperCase(),
    status: templateStatus(created.status),
    rejectedReason: null,
    parameterFormat: "POSITIONAL",
    components,
  };
}

/** Adds to an outage the time of the dispatchers' next attempt, where the platform named no time itself. */
async function withNextProbe(
  { sql }: SubmitContext,
  { companyId, wabaId }: Submission,
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof AppError) || !error.outage || error.outage.recovery === null) return error;
  if (error.retryAfterS !== undefined) return error;
  const recovery = await readNextProbe(sql, { companyId, wabaId }).catch(() => undefined);
  if (recovery === undefined) return error;
  return platformUnavailable(error.message, { details: error.details, recovery });
}

async function dropAndThrow({ sql }: SubmitContext, id: SubmissionId, error: unknown): Promise<never> {
  await dropSubmission(sql, id);
  throw error;
}
