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
  /** How many members its audience had when it was started; null for a file, and before. */
  members: number | null;
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

/** Stores an upload of which no row has arrived. The audit has its start: until then nothing leaves. */
export async function insertUpload(
  sql: Sql,
  { companyId, uploadId, plan }: UploadIds & { plan: object },
  { actor }: Actor,
): Promise<UploadRow> {
  const [row] = await sql<UploadRow[]>`
    with u as (
      insert into outbound.campaign_uploads (company_id, id, created_by, plan)
      values (${companyId}, ${uploadId}, ${actor}, ${jsonParameter(sql, plan)}) returning *
    )
    select ${columnsOf(sql)} from u`;
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

/** A page of a company's uploads or drafts. */
export interface PlanPage {
  companyId: string;
  /** Only those of a channel. */
  channel?: "whatsapp" | "voice" | undefined;
  after?: string | undefined;
  limit: number;
}

/** Returns a page of a company's uploads, newest first: ids are in the order of their making. */
export async function readUploads(
  sql: Sql,
  { companyId, channel, after, limit }: PlanPage,
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
        jsonb_strip_nulls(jsonb_build_object(
          'campaign_id', u.campaign_id, 'channel', u.plan -> 'channel',
          'campaign_name', u.plan #> '{fields,campaign_name}',
          'name_template', u.plan #> '{fields,name_template}', 'agent_id', u.plan #> '{fields,agent_id}')),
        ${by.requestId ?? null})
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

/** An upload to an audience, before it is started. */
interface LockedUpload extends Pick<UploadRow, "members" | "completed_at"> {
  /** A dispatcher goes on with it. */
  is_going_on: boolean;
}

/** Locks an upload until the end of the transaction. Returns how far it is. */
export async function lockUpload(sql: Sql, { companyId, uploadId }: UploadIds): Promise<LockedUpload> {
  const [row] = await sql<LockedUpload[]>`
    select a.members, u.completed_at, a.next_at is not null as is_going_on from outbound.campaign_uploads as u
    left join outbound.upload_audiences as a on a.company_id = u.company_id and a.upload_id = u.id
    where u.company_id = ${companyId} and u.id = ${uploadId} for no key update of u`;
  return row!;
}

/**
 * Lets a dispatcher go on with an upload that `lockUpload` has locked.
 *
 * @param start `apiKeyId`: of the key that the notifications count for; `members`: how many were fixed for it, null if that
 * was done before
 */
export async function insertUploadStart(
  sql: Sql,
  { companyId, uploadId, apiKeyId, members }: UploadIds & { apiKeyId: string; members: number | null },
  by: Actor,
): Promise<void> {
  await sql`
    with u as (
      update outbound.campaign_uploads as u set stopped = null, changed_at = now()
      where u.company_id = ${companyId} and u.id = ${uploadId}
    ),
    a as (
      ${
    members === null
      ? sql`update outbound.upload_audiences as a
        set api_key_id = ${apiKeyId}, started_by = ${by.actor}, next_at = now()
        where a.company_id = ${companyId} and a.upload_id = ${uploadId}`
      : sql`insert into outbound.upload_audiences as a (company_id, upload_id, members, api_key_id, started_by, next_at)
        values (${companyId}, ${uploadId}, ${members}, ${apiKeyId}, ${by.actor}, now())`
  }
      returning a.members
    )
    select outbound.write_audit(${companyId}, ${by.actor}, ${
    members === null ? "upload.resumed" : "upload.fixed"
  },
      ${uploadId}, null, jsonb_build_object('members', a.members), ${by.requestId ?? null}) from a`;
}

/** An upload to an audience that this process goes on with. */
export interface ClaimedUpload {
  company_id: string;
  upload_id: string;
  plan: unknown;
  /** Null where the key was deleted. */
  key_hash: string | null;
  started_by: Actor["actor"];
}

/** Claims the upload to an audience that has waited longest, for `leaseS` seconds. */
export async function claimUpload(
  sql: Sql,
  { leaseS }: { leaseS: number },
): Promise<ClaimedUpload | undefined> {
  const [row] = await sql<ClaimedUpload[]>`
    with due as (
      select o.company_id, o.upload_id from outbound.upload_audiences as o where o.next_at <= now()
      order by o.next_at limit 1 for no key update skip locked
    )
    update outbound.upload_audiences as a set next_at = now() + make_interval(secs => ${leaseS}) from due
    where a.company_id = due.company_id and a.upload_id = due.upload_id
    returning a.company_id, a.upload_id, a.started_by, (
      select u.plan from outbound.campaign_uploads as u where u.company_id = a.company_id and u.id = a.upload_id
    ) as plan, (
      select k.key_hash from outbound.api_keys as k where k.company_id = a.company_id and k.id = a.api_key_id
    ) as key_hash`;
  return row;
}

/**
 * Ends the lease of an upload of which all that is stored is recorded: its next step is due. Or it is stopped until it is
 * started again.
 */
export async function releaseUpload(
  sql: Sql,
  { companyId, uploadId, run }: UploadIds & { run: number },
  { isStopped }: { isStopped: boolean },
): Promise<void> {
  await sql`
    with audience as (
      select a.company_id, a.upload_id from outbound.upload_audiences as a
      join outbound.campaign_uploads as u on u.company_id = a.company_id and u.id = a.upload_id and u.run = ${run}
      where a.company_id = ${companyId} and a.upload_id = ${uploadId} and a.next_at is not null
      for no key update of u, a
    ),
    released as (
      update outbound.upload_audiences as a set next_at = case when not ${isStopped} then now() end
      from audience as o where a.company_id = o.company_id and a.upload_id = o.upload_id
    )
    update outbound.campaign_uploads as u set in_doubt_since = case when ${isStopped} then u.in_doubt_since end
    from audience as o where u.company_id = o.company_id and u.id = o.upload_id`;
}

function summaryColumns(sql: Sql) {
  return sql`
    u.id as upload_id, u.created_by, u.plan, u.campaign_id, u.batches, u.rows_read as rows,
    u.accepted, u.refused, u.stopped, u.created_at, u.changed_at,
    u.completed_at, (
      select a.members from outbound.upload_audiences as a where a.company_id = u.company_id and a.upload_id = u.id
    ) as members`;
}

function columnsOf(sql: Sql) {
  return sql`
    ${summaryColumns(sql)}, u.fingerprint, u.refused_by_code, u.warned_by_code,
    u.problems`;
}
