import type { KeyedSlots } from "../../keyed_slots.ts";
import { v7 as uuidv7 } from "uuid";
import { sha256Hex } from "../../crypto/sha256_hex.ts";
import type { Sql } from "../../db/connect.ts";
import {
  beginSubmission,
  dropSubmission,
  finishSubmission,
  leaseSubmission,
  type SubmissionId,
  type SubmissionKey,
} from "../../db/template_submissions.ts";
import { readNextProbe } from "../../db/sender_breakers.ts";
import { AppError, keyReused } from "../../errors.ts";
import type { WhatsappConfig } from "../../gateways/whatsapp/config.ts";
import { type CreateOutcome, createTemplate } from "../../gateways/whatsapp/create_template.ts";
import { findPlatformTemplate } from "../../gateways/whatsapp/find_platform_template.ts";
import { platformUnavailable } from "../../gateways/whatsapp/platform_unavailable.ts";
import { templateStatus } from "../../gateways/whatsapp/template_status.ts";
import { type TemplateFacts, templateFromPlatform } from "../from_platform.ts";
import { findComponent } from "../variables.ts";
import { templateRow } from "../template_row.ts";
import { confirmSubmitted } from "./confirm_submitted.ts";
import { keepLeased, LEASE_S } from "./keep_leased.ts";
import { alreadyExists, keyInUse, refusalOf, undecided } from "./submission_refusals.ts";
import type { NewTemplate } from "./read_template_request.ts";
import { uploadSampleFile } from "./upload_sample_file.ts";

export interface SubmitContext {
  sql: Sql;
  whatsapp: WhatsappConfig;
  /** How long each of the platform's answers may take. */
  timeoutMs: number;
  /** Whether a sample may come from this machine, from private networks, and without TLS. */
  allowPrivate: boolean;
  /** What this process uploads. */
  sampleUploads: KeyedSlots;
}

export interface Submission {
  companyId: string;
  wabaId: string;
  /** Opens the business account. */
  token: string;
  template: NewTemplate;
  idempotency: SubmissionKey | null;
}

export interface Submitted {
  templateId: string | null;
  /** The body of the answer, with the template's id. */
  answer: unknown;
  /** It is an earlier request's. */
  replayed: boolean;
  /** Reads back what the platform made of it, in case it judged it at once. Never fails. */
  confirm(): Promise<void>;
}

/**
 * Submits a template for review and stores it as the platform answered.
 *
 * The submission is recorded before the platform is asked, so whatever happens in between is made good by the next
 * request for the same name, or by a sync: it looks whether the platform has the template. Nothing half-made is ever
 * listed or sent.
 *
 * Throws `validation_failed` for what the platform refuses, in its words, and for a name the account has already;
 * `service_unavailable` (502) when the platform cannot be reached, or nobody knows whether it took the template;
 * `idempotency_key_in_use` and `idempotency_key_reused`.
 */
export async function submitTemplate(context: SubmitContext, submission: Submission): Promise<Submitted> {
  const { sql } = context;
  const { companyId, wabaId, template, idempotency } = submission;
  const id: SubmissionId = { companyId, id: uuidv7() };
  const start = await beginSubmission(sql, companyId, {
    id: id.id,
    waba_id: wabaId,
    name: template.name,
    language: template.language,
    content_hash: sha256Hex(JSON.stringify([template.category, template.components, template.sample])),
    lease_s: LEASE_S,
    idempotency,
  });
  switch (start.outcome) {
    case "replayed":
      return { templateId: null, answer: start.answer, replayed: true, confirm: () => Promise.resolve() };
    case "key_reused":
      throw keyReused();
    case "in_use":
      throw keyInUse(start.wait_s ?? LEASE_S);
    case "exists":
      throw alreadyExists(template, {
        template_id: start.template_id,
        current_status: start.template_status,
      });
  }
  const lease = keepLeased(sql, id);
  try {
    const known = start.outcome === "taken_over" ? await lookUp(context, submission, id) : undefined;
    if (known !== undefined) return await takeKnown(context, submission, id, known, start.repeated);
    return await submit(context, submission, id);
  } catch (error) {
    throw await withNextProbe(context, submission, error);
  } finally {
    await lease.stop();
  }
}

async function submit(context: SubmitContext, submission: Submission, id: SubmissionId): Promise<Submitted> {
  const components = await uploadSampleFile(context, submission)
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
  const known = await lookUp(context, submission, id, outcome);
  if (known !== undefined) return await takeKnown(context, submission, id, known, true);
  await leaseSubmission(context.sql, id, 0);
  throw refusalOf(outcome);
}

/** What the platform has under the name. While it cannot say, the submission's fate stays open. */
async function lookUp(
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

/** The platform has a template of this name: that of an earlier try of ours, or somebody else's. */
async function takeKnown(
  context: SubmitContext,
  submission: Submission,
  id: SubmissionId,
  known: TemplateFacts,
  repeated: boolean,
): Promise<Submitted> {
  const ours = repeated && bodyOf(known) === bodyOf(submission.template);
  if (ours) return await finish(context, submission, id, known);
  const stored = await finish(context, { ...submission, idempotency: null }, id, known);
  throw alreadyExists(submission.template, { template_id: stored.templateId, current_status: known.status });
}

/**
 * The body, to tell one template from another; its white space is not to be relied on. Of category AUTHENTICATION nobody
 * but the platform writes one, so there is none to compare.
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
    submission.idempotency,
  );
  const confirm = () => confirmSubmitted(context, submission, { templateId: template_id, version });
  return { templateId: template_id, answer, replayed: false, confirm };
}

function createdFacts(
  { name, language, category }: NewTemplate,
  components: NewTemplate["components"],
  created: Extract<CreateOutcome, { kind: "created" }>,
): TemplateFacts {
  return {
    providerTemplateId: created.id,
    name,
    language,
    category: (created.category ?? category).toUpperCase(),
    status: templateStatus(created.status),
    rejectedReason: null,
    parameterFormat: "POSITIONAL",
    components,
  };
}

/** An outage with the time at which a dispatcher will ask the platform again, where the platform named no time itself. */
async function withNextProbe(
  { sql }: SubmitContext,
  { companyId, wabaId }: Submission,
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof AppError) || error.outage === undefined || error.retryAfter !== undefined) {
    return error;
  }
  const recovery = await readNextProbe(sql, { companyId, wabaId }).catch(() => undefined);
  if (recovery === undefined) return error;
  return platformUnavailable(error.message, { details: error.details, recovery });
}

async function dropAndThrow({ sql }: SubmitContext, id: SubmissionId, error: unknown): Promise<never> {
  await dropSubmission(sql, id);
  throw error;
}
