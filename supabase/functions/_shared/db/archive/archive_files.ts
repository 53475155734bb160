import { inTransaction } from "../driver/in_transaction.ts";
import type { Sql } from "../driver/connect.ts";
import type { ArchiveIds } from "./archived_rows.ts";

/** A version of a file in the store, with what is known of its rows. */
export interface ArchiveObject {
  object_id: string;
  rows: number;
  bytes: number;
  sha256: string;
  /** Of the notifications in it. */
  first_id: string;
  last_id: string;
  /** The oldest notification that names a person, and the oldest call of which something said is left. */
  people_from: Date | null;
  transcripts_from: Date | null;
}

/** A file of the archive. */
export interface ArchiveFile extends ArchiveObject {
  company_id: string;
  id: string;
  /** The first day of the month of its campaigns. */
  month: string;
  state: "writing" | "deleting" | "archived" | "restoring";
  campaigns: number;
  problem: string | null;
  archived_at: Date | null;
}

/** A file that this process works on, until its lease ends. */
export interface ClaimedFile extends ArchiveIds {
  state: ArchiveFile["state"];
  /** Null until its first version is stored. */
  object: ArchiveObject | null;
  fence: number;
  /** People who were erased and may still be in it. */
  erasures: string[];
  /** Erased because of their age: people of notifications that ended before, and what calls said that began before. */
  people_before: Date | null;
  transcripts_before: Date | null;
}

/** Fixes the campaigns of the next file; see `outbound.plan_archive_file`. */
export async function planArchiveFile(
  sql: Sql,
  { fileId, companyId, maxRows }: { fileId: string; companyId: string | null; maxRows: number },
): Promise<"planned" | "looked" | "waiting" | "done" | "idle"> {
  const [row] = await sql<{ did: "planned" | "looked" | "waiting" | "done" | "idle" }[]>`
    select outbound.plan_archive_file(${fileId}, ${companyId}, ${maxRows}) as did`;
  return row!.did;
}

/** Gives a company, or all that archive, their turn now. Returns whether there is one. */
export async function beginArchiveTurn(sql: Sql, companyId: string | null): Promise<boolean> {
  const rows = await sql`
    update outbound.contact_rules set archive_cursor = null, archive_at = now()
    where archive_after_days is not null and (${companyId}::uuid is null or company_id = ${companyId})
    returning company_id`;
  return rows.length > 0;
}

/** Seconds within which a worker takes its next step of a file, or another one takes it over. */
const LEASE_S = 300;

/** Leases a file on which there is something to do, of one company or of any. */
export async function claimArchiveFile(
  sql: Sql,
  { companyId = null, fileId = null }: { companyId?: string | null; fileId?: string | null } = {},
): Promise<ClaimedFile | undefined> {
  const [row] = await sql<(ClaimedFile & ArchiveFile)[]>`
    with claimed as (
      update outbound.archive_files as f
      set due_at = now() + make_interval(secs => ${LEASE_S}), fence = f.fence + 1
      where f.ctid = any (array(
        select o.ctid from outbound.archive_files as o
        where o.due_at <= now() and outbound.is_active_cell()
          and (${companyId}::uuid is null or o.company_id = ${companyId})
          and (${fileId}::uuid is null or o.id = ${fileId})
        order by o.due_at limit 1 for update skip locked
      ))
      returning f.*
    )
    select f.*, array(
        select e.address from outbound.archive_erasures as e where e.company_id = f.company_id and e.file_id = f.id
      ) as erasures,
      date_trunc('day', now()) - make_interval(days => r.keep_notifications_days) as people_before,
      date_trunc('day', now()) - make_interval(days => r.keep_transcripts_days) as transcripts_before
    from claimed as f left join outbound.contact_rules as r on r.company_id = f.company_id`;
  if (row === undefined) return undefined;
  const { company_id, id, state, fence, erasures, people_before, transcripts_before } = row;
  return {
    companyId: company_id,
    fileId: id,
    state,
    fence,
    erasures: [...erasures],
    people_before,
    transcripts_before,
    object: row.object_id === null ? null : objectOf(row),
  };
}

function objectOf(row: ArchiveObject): ArchiveObject {
  const { object_id, rows, bytes, sha256, first_id, last_id, people_from, transcripts_from } = row;
  return { object_id, rows, bytes, sha256, first_id, last_id, people_from, transcripts_from };
}

/** The lease of a file ended before a step of its worker: another one goes on. */
export class ArchiveLeaseLost extends Error {}

/**
 * Takes a step of a file in a transaction that no other worker's step overlaps, and renews its lease.
 *
 * @throws {ArchiveLeaseLost}
 */
export async function inArchiveStep<Value>(
  sql: Sql,
  { companyId, fileId, fence }: ClaimedFile,
  step: (on: Sql) => Promise<Value>,
): Promise<Value> {
  return await inTransaction(sql, async (on) => {
    const [held] = await on`
      update outbound.archive_files set due_at = now() + make_interval(secs => ${LEASE_S}), problem = null
      where company_id = ${companyId} and id = ${fileId} and fence = ${fence} returning id`;
    if (held === undefined) throw new ArchiveLeaseLost();
    return await step(on);
  });
}

/** Makes a stored object the file: the first one, or in place of another, which is then deleted (a trigger). */
export async function useArchiveObject(
  sql: Sql,
  { companyId, fileId }: ArchiveIds,
  object: ArchiveObject,
): Promise<void> {
  const { object_id, ...facts } = object;
  // One that is due is about to be deleted: it took longer than an hour to store.
  const [kept] = await sql`
    delete from outbound.media_leftovers
    where company_id = ${companyId} and media_id = ${object_id} and due_at > now() returning media_id`;
  if (kept === undefined) throw new Error("The file took too long to store");
  await sql`
    update outbound.archive_files
    set object_id = ${object_id}, ${
    sql(facts)
  }, state = case when state = 'writing' then 'deleting' else state end
    where company_id = ${companyId} and id = ${fileId}`;
}

/** Returns the addresses of people who were erased and may still be in a file. */
export async function readErasures(sql: Sql, { companyId, fileId }: ArchiveIds): Promise<string[]> {
  const rows = await sql<{ address: string }[]>`
    select address from outbound.archive_erasures where company_id = ${companyId} and file_id = ${fileId}`;
  return rows.map(({ address }) => address);
}

/** Records that a file is written without these people. */
export async function forgetErasures(
  sql: Sql,
  { companyId, fileId }: ArchiveIds,
  addresses: string[],
): Promise<void> {
  await sql`
    delete from outbound.archive_erasures
    where company_id = ${companyId} and file_id = ${fileId} and address = any (${addresses}::text[])`;
}

/** Ends the work on a file; one person more to erase makes it due again. Throws when its rows and its counts differ. */
export async function settleArchiveFile(sql: Sql, { companyId, fileId }: ArchiveIds): Promise<void> {
  const [row] = await sql<{ rows: number; counted: number }[]>`
    select f.rows, coalesce(sum(c.total), 0)::int as counted
    from outbound.archive_files as f
    left join outbound.archived_campaigns as c on c.company_id = f.company_id and c.file_id = f.id
    where f.company_id = ${companyId} and f.id = ${fileId} group by f.rows`;
  if (row!.rows !== row!.counted) {
    throw new Error(`The file has ${row!.rows} rows, of which ${row!.counted} were deleted`);
  }
  await sql`
    update outbound.archive_files as f
    set state = 'archived', archived_at = coalesce(f.archived_at, now()), due_at = case when exists (
      select from outbound.archive_erasures as e where e.company_id = f.company_id and e.file_id = f.id
    ) then now() end
    where f.company_id = ${companyId} and f.id = ${fileId}`;
}

/** Ends the lease of a file early: it is due again in a minute. */
export async function putOffArchiveFile(
  sql: Sql,
  { companyId, fileId, fence }: ClaimedFile,
  problem: string | null,
): Promise<void> {
  await sql`
    update outbound.archive_files set due_at = now() + interval '1 minute', problem = ${problem}
    where company_id = ${companyId} and id = ${fileId} and fence = ${fence}`;
}

/**
 * Passes over the campaigns of a file for which the database has no message, such as ones that an operator deleted: the
 * company's turn goes on behind them.
 */
export async function passOverCampaigns(sql: Sql, { companyId, fileId }: ArchiveIds): Promise<void> {
  await sql`
    update outbound.contact_rules as r set archive_cursor = greatest(r.archive_cursor, last.campaign_id)
    from (
      select c.campaign_id from outbound.archived_campaigns as c
      where c.company_id = ${companyId} and c.file_id = ${fileId} order by c.campaign_id desc limit 1
    ) as last
    where r.company_id = ${companyId}`;
}

/** Deletes a file, its marks on campaigns, and its object. */
export async function deleteArchiveFile(sql: Sql, { companyId, fileId }: ArchiveIds): Promise<void> {
  await sql`delete from outbound.archive_files where company_id = ${companyId} and id = ${fileId}`;
}

/**
 * Has a file put back into the database. Returns false where the company has no such file. Throws
 * a unique violation while another file of the company is being made.
 */
export async function beginRestore(sql: Sql, { companyId, fileId }: ArchiveIds): Promise<boolean> {
  const [row] = await sql`
    update outbound.archive_files set state = 'restoring', due_at = now(), fence = fence + 1
    where company_id = ${companyId} and id = ${fileId} returning id`;
  return row !== undefined;
}

/** Returns the files of a company, or of all, the newest month last. */
export async function readArchiveFiles(sql: Sql, companyId: string | null): Promise<ArchiveFile[]> {
  const rows = await sql<ArchiveFile[]>`
    select f.company_id, f.id, f.month::text as month, f.state, f.object_id, f.rows, f.bytes, f.sha256, f.first_id,
      f.last_id, f.people_from, f.transcripts_from, f.problem, f.archived_at, (
        select count(*)::int from outbound.archived_campaigns as c
        where c.company_id = f.company_id and c.file_id = f.id
      ) as campaigns
    from outbound.archive_files as f
    where ${companyId}::uuid is null or f.company_id = ${companyId}
    order by f.company_id, f.month, f.id`;
  return rows.map((row) => ({ ...row }));
}

/** A file in which a person is looked for, and who of them was erased since. */
export type SearchedFile = ArchiveObject & { id: string; erased: string[] };

/** Returns the files of a company that have notifications before an id, those with the newest first. */
export async function readFilesBefore(sql: Sql, companyId: string, before: string): Promise<SearchedFile[]> {
  return await sql<SearchedFile[]>`
    select f.id, f.object_id, f.rows, f.bytes, f.sha256, f.first_id, f.last_id, array(
      select e.address from outbound.archive_erasures as e where e.company_id = f.company_id and e.file_id = f.id
    ) as erased
    from outbound.archive_files as f
    where f.company_id = ${companyId} and f.object_id is not null and f.first_id < ${before}
    order by f.last_id desc`;
}

/** Returns since when messages of a campaign are in the archive; null while none is. */
export async function readArchivedAt(
  sql: Sql,
  { companyId, campaignId }: { companyId: string; campaignId: string },
): Promise<Date | null> {
  const [row] = await sql<{ at: Date | null }[]>`
    select min(archived_at) as at from outbound.archived_campaigns
    where company_id = ${companyId} and campaign_id = ${campaignId}`;
  return row!.at;
}

/** Returns how many rows of each campaign a file holds, as counted when they were deleted. */
export async function readArchivedCounts(
  sql: Sql,
  { companyId, fileId }: ArchiveIds,
): Promise<Map<string, number>> {
  const rows = await sql<{ campaign_id: string; total: number }[]>`
    select campaign_id, total from outbound.archived_campaigns
    where company_id = ${companyId} and file_id = ${fileId} and total > 0`;
  return new Map(rows.map(({ campaign_id, total }) => [campaign_id, total]));
}
