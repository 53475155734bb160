import type { Actor } from "../access/audit.ts";
import { jsonParameter, type Sql } from "../driver/connect.ts";
import type { SyncedTemplateRow } from "./templates.ts";

/** The permissions of a caller on a business account. */
export interface TemplateAccess {
  /** Whether the user belongs to the company; true when the query names no user. */
  is_member: boolean;
  api_access: boolean;
  /** Whether the account is the company's. */
  is_known: boolean;
  /** Whose token it is. */
  sender_id: string | null;
  token_sealed: string | null;
}

/** Returns what a caller may do with a business account; undefined when there is no such company. */
export async function readTemplateAccess(
  sql: Sql,
  { companyId, wabaId, userId }: { companyId: string; wabaId: string; userId: string | null },
): Promise<TemplateAccess | undefined> {
  const [row] = await sql<TemplateAccess[]>`
    select * from outbound.template_account(${companyId}, ${wabaId}, ${userId})`;
  return row;
}

/** The key of a request that must not run twice. */
export interface SubmissionKey {
  endpoint: string;
  key: string;
  request_hash: string;
}

/** Field names are those of `outbound.begin_template_submission`. */
export interface SubmissionRow {
  id: string;
  waba_id: string;
  name: string;
  language: string;
  content_hash: string;
  lease_s: number;
  idempotency: SubmissionKey | null;
}

export interface SubmissionStart {
  outcome: "replayed" | "key_reused" | "in_use" | "exists" | "started" | "taken_over";
  answer: unknown;
  wait_s: number | null;
  template_id: string | null;
  template_status: string | null;
  /** Taken over from a request that submitted the same. */
  repeated: boolean;
}

/** Records that a template is about to be submitted. */
export async function beginSubmission(
  sql: Sql,
  companyId: string,
  submission: SubmissionRow,
): Promise<SubmissionStart> {
  const [row] = await sql<SubmissionStart[]>`
    select * from outbound.begin_template_submission(${companyId}, ${jsonParameter(sql, submission)})`;
  return row!;
}

/** One company's submission, as long as no other request took it over. */
export interface SubmissionId {
  companyId: string;
  id: string;
}

/** Sets for how long a request works on the submission; 0 when none does any more and its outcome is open. */
export async function leaseSubmission(
  sql: Sql,
  { companyId, id }: SubmissionId,
  leaseS: number,
): Promise<void> {
  await sql`select outbound.lease_template_submission(${companyId}, ${id}, ${leaseS})`;
}

/** Deletes a submission that the platform certainly did not take. */
export async function dropSubmission(sql: Sql, { companyId, id }: SubmissionId): Promise<void> {
  await sql`select outbound.drop_template_submission(${companyId}, ${id})`;
}

export interface FinishedSubmission {
  template_id: string;
  /** The version that `confirmTemplate` needs. */
  version: string;
  /** The response to the request. */
  answer: unknown;
}

/**
 * Stores a submission that the platform took as a template, with the response.
 *
 * @param by who submitted it, for the audit; null when it turned out that the platform had the template already
 */
export async function finishSubmission(
  sql: Sql,
  { companyId, id }: SubmissionId,
  template: SyncedTemplateRow & { waba_id: string },
  { idempotency, by }: { idempotency: SubmissionKey | null; by: Actor | null },
): Promise<FinishedSubmission> {
  const { waba_id, name, language, category } = template;
  const audit = by && sql`, outbound.write_audit(
    ${companyId}, ${by.actor}, 'template.submitted', finished.template_id::text, null,
    ${jsonParameter(sql, { waba_id, name, language, category })}, ${by.requestId ?? null})`;
  const [row] = await sql<FinishedSubmission[]>`
    select finished.* ${audit ?? sql``}
    from outbound.finish_template_submission(
      ${companyId}, ${id}, ${jsonParameter(sql, template)}, ${jsonParameter(sql, idempotency)}) as finished`;
  return row!;
}

/** Stores the platform's state of a new template, unless another report about it came since. */
export async function confirmTemplate(
  sql: Sql,
  { companyId, templateId, version }: { companyId: string; templateId: string; version: string },
  template: SyncedTemplateRow,
): Promise<void> {
  await sql`
    select outbound.confirm_template(${companyId}, ${templateId}, ${version}, ${
    jsonParameter(sql, template)
  })`;
}
