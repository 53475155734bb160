import type { Actor } from "../access/audit.ts";
import { jsonParameter, type Sql } from "../driver/connect.ts";

export interface UploadIds {
  companyId: string;
  uploadId: string;
}

/** How far an upload is. The counters are of the batches that are recorded. */
export interface UploadProgress {
  campaign_id: string | null;
  batches: number;
  /** Of all rows of these batches. */
  fingerprint: string;
  rows: number;
  accepted: number;
  refused: number;
  refused_by_code: Record<string, number>;
  warned_by_code: Record<string, number>;
  problems: StoredProblem[];
}

/** A refused row. */
export interface StoredProblem {
  row: number;
  line: number;
  column: string | null;
  code: string;
  reason: string;
}

/** An upload as lists show it. */
export interface UploadSummaryRow
  extends Pick<UploadProgress, "campaign_id" | "batches" | "rows" | "accepted" | "refused"> {
  upload_id: string;
  created_by: string;
  plan: unknown;
  /** Why the last request ended before the file did. */
  stopped: { code: string; message: string } | null;
  created_at: Date;
  changed_at: Date;
  completed_at: Date | null;
}

export interface UploadRow extends UploadSummaryRow, UploadProgress {}

/** An upload that a request goes on with. */
export interface UploadRun extends UploadRow {
  /** Which request it is. A later one takes over from it. */
  run: number;
  /** A batch may be stored that is not recorded: the request before this one did not come to an end. */
  was_in_doubt: boolean;
  /** It was so for so long that its idempotency key may be gone. */
  is_expired: boolean;
}

/** Hours after which a batch that may have been stored is not sent again; idempotency keys live for 24. */
const UNSURE_HOURS = 23;

/** Stores an upload of which no row has arrived. */
export async function insertUpload(
  sql: Sql,
  { companyId, uploadId, plan, audited }: UploadIds & { plan: object; audited: Record<string, unknown> },
  by: Actor,
): Promise<UploadRow> {
  const [row] = await sql<UploadRow[]>`
    with u as (
      insert into outbound.campaign_uploads (company_id, id, created_by, plan)
      values (${companyId}, ${uploadId}, ${by.actor}, ${jsonParameter(sql, plan)}) returning *
    ),
    audited as (
      select outbound.write_audit(u.company_id, ${by.actor}, 'upload.created', u.id::text, null,
        ${jsonParameter(sql, audited)}, ${by.requestId ?? null}) from u
    )
    select ${columnsOf(sql)} from u, audited`;
  return row!;
}

/** Returns an upload of a company. */
export async function readUpload(
  sql: Sql,
  { companyId, uploadId }: UploadIds,
): Promise<UploadRow | undefined> {
  const [row] = await sql<UploadRow[]>`
    select ${columnsOf(sql)} from outbound.campaign_uploads as u
    where u.company_id = ${companyId} and u.id = ${uploadId}`;
  return row;
}

/** Returns a page of a company's uploads, newest first: ids are in the order of their making. */
export async function readUploads(
  sql: Sql,
  { companyId, channel, after, limit }: {
    companyId: string;
    /** Only those of a channel. */
    channel?: "whatsapp" | "voice" | undefined;
    after?: string | undefined;
    limit: number;
  },
): Promise<UploadSummaryRow[]> {
  return await sql<UploadSummaryRow[]>`
    select ${summaryColumns(sql)} from outbound.list_uploads(${companyId}, ${after ?? null}, ${limit}, ${
    channel ?? null
  }) as u
    order by u.id desc`;
}

/**
 * Begins another request of an upload. Any request before it records nothing from now on. The lock comes first, so that
 * what the request before it left is read after that request's own beginning.
 */
export async function beginUploadRun(sql: Sql, { companyId, uploadId }: UploadIds): Promise<UploadRun> {
  const [row] = await sql<UploadRun[]>`
    with old as (
      select o.company_id, o.id, o.in_doubt_since from outbound.campaign_uploads as o
      where o.company_id = ${companyId} and o.id = ${uploadId} for no key update
    )
    update outbound.campaign_uploads as u
    set run = u.run + 1, stopped = null, changed_at = now(),
      in_doubt_since = case when u.completed_at is null then coalesce(u.in_doubt_since, now()) end
    from old
    where u.company_id = old.company_id and u.id = old.id
    returning ${columnsOf(sql)}, u.run, old.in_doubt_since is not null as was_in_doubt,
      coalesce(u.in_doubt_since < now() - make_interval(hours => ${UNSURE_HOURS}), false) as is_expired`;
  return row!;
}

/**
 * Records that another batch is stored; the first one is in the audit. Returns whether it did: it does not once another
 * request goes on with the upload.
 *
 * @param progress with the batch; `problems` only if there are new ones
 */
export async function recordBatch(
  sql: Sql,
  { companyId, uploadId, run }: UploadIds & { run: number },
  progress: Omit<UploadProgress, "problems"> & { problems: StoredProblem[] | null },
  by: Actor,
): Promise<boolean> {
  const rows = await sql`
    with u as (
      update outbound.campaign_uploads as u
      set campaign_id = ${progress.campaign_id}, batches = ${progress.batches}, fingerprint = ${progress.fingerprint},
        rows_read = ${progress.rows}, accepted = ${progress.accepted}, refused = ${progress.refused},
        refused_by_code = ${jsonParameter(sql, progress.refused_by_code)},
        warned_by_code = ${jsonParameter(sql, progress.warned_by_code)},
        problems = coalesce(${progress.problems && jsonParameter(sql, progress.problems)}, u.problems),
        changed_at = now(), in_doubt_since = now()
      where u.company_id = ${companyId} and u.id = ${uploadId} and u.run = ${run} and u.completed_at is null
      returning u.*
    ),
    started as (
      select outbound.write_audit(u.company_id, ${by.actor}, 'upload.started', u.id::text, null,
        jsonb_build_object('campaign_id', u.campaign_id), ${by.requestId ?? null})
      from u where u.batches = 1
    )
    select u.id, (select count(*) from started) from u`;
  return rows.length > 0;
}

/**
 * Records why a request ended before the file did.
 *
 * @param isInDoubt whether a batch may be stored that is not recorded
 */
export async function recordStop(
  sql: Sql,
  { companyId, uploadId, run }: UploadIds & { run: number },
  { code, message, isInDoubt }: { code: string; message: string; isInDoubt: boolean },
): Promise<void> {
  await sql`
    update outbound.campaign_uploads as u
    set stopped = ${jsonParameter(sql, { code, message })}, changed_at = now(),
      in_doubt_since = case when ${isInDoubt} then u.in_doubt_since end
    where u.company_id = ${companyId} and u.id = ${uploadId} and u.run = ${run} and u.completed_at is null`;
}

/** Completes an upload whose file was read to its end. Returns whether it did, as `outbound.complete_upload` says. */
export async function completeUpload(
  sql: Sql,
  { companyId, uploadId, run }: UploadIds & { run: number },
): Promise<boolean> {
  const [row] = await sql<{ is_done: boolean }[]>`
    select outbound.complete_upload(${companyId}, ${uploadId}, ${run}) as is_done`;
  return row!.is_done;
}

function summaryColumns(sql: Sql) {
  return sql`
    u.id as upload_id, u.created_by, u.plan, u.campaign_id, u.batches, u.rows_read as rows,
    u.accepted, u.refused, u.stopped, u.created_at, u.changed_at,
    u.completed_at`;
}

function columnsOf(sql: Sql) {
  return sql`
    ${summaryColumns(sql)}, u.fingerprint, u.refused_by_code, u.warned_by_code,
    u.problems`;
}
