import { jsonParameter, type Sql } from "./connect.ts";
import type { SyncedTemplateRow } from "./template_sync.ts";

/** What a caller may do with a business account. Undefined when there is no such company. */
export interface TemplateAccess {
  /** Whether the user belongs to the company; true when nobody asked. */
  is_member: boolean;
  api_access: boolean;
  /** Whether the account is the company's. */
  is_known: boolean;
  /** Whose token it is. */
  sender_id: string | null;
  token_sealed: string | null;
}

export async function readTemplateAccess(
  sql: Sql,
  { companyId, wabaId, userId }: { companyId: string; wabaId: string; userId: string | null },
): Promise<TemplateAccess | undefined> {
  const [row] = await sql<TemplateAccess[]>`
    select * from outbound.template_account(${companyId}, ${wabaId}, ${userId})`;
  return row;
}

/** The key of a request that must not be carried out twice. */
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

/** Says for how long somebody is at work on it; 0: nobody is any more, and its fate is open. */
export async function leaseSubmission(
  sql: Sql,
  { companyId, id }: SubmissionId,
  leaseS: number,
): Promise<void> {
  await sql`select outbound.lease_template_submission(${companyId}, ${id}, ${leaseS})`;
}

/** Forgets a submission the platform surely did not take. */
export async function dropSubmission(sql: Sql, { companyId, id }: SubmissionId): Promise<void> {
  await sql`select outbound.drop_template_submission(${companyId}, ${id})`;
}

export interface FinishedSubmission {
  template_id: string;
  /** What `confirmTemplate` asks for. */
  version: string;
  /** The answer to the request. */
  answer: unknown;
}

/** Makes what the platform took a template, and remembers the answer. */
export async function finishSubmission(
  sql: Sql,
  { companyId, id }: SubmissionId,
  template: SyncedTemplateRow & { waba_id: string },
  idempotency: SubmissionKey | null,
): Promise<FinishedSubmission> {
  const [row] = await sql<FinishedSubmission[]>`
    select * from outbound.finish_template_submission(
      ${companyId}, ${id}, ${jsonParameter(sql, template)}, ${jsonParameter(sql, idempotency)})`;
  return row!;
}

/** Takes over what the platform says of a template just made, unless something else was heard of it since. */
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
