import { jsonParameter, type Sql } from "../driver/connect.ts";

/**
 * The columns of an archive file, in their order, and the type of each. A notification with the facts of its campaign that
 * a reader of the file needs; its tries and its call are JSON.
 */
export const ARCHIVE_COLUMNS = {
  id: "uuid",
  campaign_id: "uuid",
  campaign_name: "text",
  channel: "text",
  notification_type: "text",
  template_name: "text",
  sender_id: "uuid",
  number: "text",
  user_id: "text",
  status: "text",
  attempt: "int",
  fence: "int",
  created_at: "time",
  claimed_at: "time",
  sent_at: "time",
  delivered_at: "time",
  read_at: "time",
  failed_at: "time",
  skipped_at: "time",
  cancelled_at: "time",
  replied_at: "time",
  held_for_quality: "boolean",
  is_priced: "boolean",
  error_code: "text",
  error_reason: "text",
  platform_message_id: "text",
  resent_as: "uuid",
  area: "text",
  message: "text",
  metadata: "text",
  attempts: "text",
  call: "text",
} as const satisfies Record<string, "uuid" | "text" | "int" | "boolean" | "time">;

type ColumnTypes = typeof ARCHIVE_COLUMNS;

/** A row of an archive file. Times are microseconds since 1970, as text, so that nothing of them is lost. */
export type ArchivedRow = {
  [Name in keyof ColumnTypes]:
    | (ColumnTypes[Name] extends "int" ? number : ColumnTypes[Name] extends "boolean" ? boolean : string)
    | null;
};

/** A file of the archive, as its rows name it. */
export interface ArchiveIds {
  companyId: string;
  fileId: string;
}

/**
 * Returns the ids of up to `maxRows` notifications of a file that is being made, in its order: by recipient, so that the
 * rows of a person are side by side. Only notifications that came to an end, and were accepted 30 days ago.
 */
export async function readIdsToArchive(
  sql: Sql,
  { companyId, fileId }: ArchiveIds,
  maxRows: number,
): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select taken.id from (
      select n.id, n.number, n.user_id from outbound.archived_campaigns as c
      cross join lateral (
        select o.id, o.number, o.user_id from outbound.notification_facts as o
        where o.campaign_id = c.campaign_id and o.id < outbound.first_id_at(now() - interval '30 days')
          and case when o.company_id = c.company_id and o.status is not null and o.on_call is null then true end
        order by o.campaign_id, o.id limit ${maxRows}
      ) as n
      where c.company_id = ${companyId} and c.file_id = ${fileId} limit ${maxRows}
    ) as taken
    order by taken.number collate "C", taken.user_id collate "C", taken.id`;
  return rows.map(({ id }) => id);
}

/**
 * Locks those of a company's notifications that no other transaction has locked and no resend reads. Returns their ids.
 */
export async function lockToArchive(sql: Sql, companyId: string, ids: string[]): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select n.id from outbound.notification_facts as n
    where n.company_id = ${companyId} and n.id = any (${ids}::uuid[])
      and not exists (
        select from outbound.resends as r where r.company_id = n.company_id and r.resend_of = n.campaign_id
      )
    order by n.id for update skip locked`;
  return rows.map(({ id }) => id);
}

/** Returns how many of these notifications are in the database. */
export async function countStored(sql: Sql, companyId: string, ids: string[]): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from outbound.notification_facts as n
    where n.company_id = ${companyId} and n.id = any (${ids}::uuid[])`;
  return row!.count;
}

/** Returns the rows of a file for these notifications, as they are now, by their ids. */
export async function readRowsToArchive(
  sql: Sql,
  companyId: string,
  ids: string[],
): Promise<Map<string, ArchivedRow>> {
  const micros = (name: string) =>
    sql`(extract(epoch from n.${sql(name)}) * 1000000)::bigint as ${sql(name)}`;
  const rows = await sql<(ArchivedRow & { id: string; attempts: unknown; call: unknown })[]>`
    select n.id, n.campaign_id, g.name as campaign_name, g.channel, g.notification_type, g.template_name, n.sender_id,
      n.number, n.user_id, n.status, n.attempt, n.fence, ${micros("created_at")}, ${micros("claimed_at")},
      ${micros("sent_at")}, ${micros("delivered_at")}, ${micros("read_at")}, ${micros("failed_at")},
      ${micros("skipped_at")}, ${micros("cancelled_at")}, ${
    micros("replied_at")
  }, n.held_for_quality, n.is_priced,
      n.error_code, n.error_reason, n.platform_message_id, n.resent_as, n.area, n.message::text as message,
      n.metadata::text as metadata,
      (
        select jsonb_agg(jsonb_build_object('attempt', a.attempt, 'fence', a.fence, 'worker', a.worker,
          'started_at', a.started_at at time zone 'UTC', 'finished_at', a.finished_at at time zone 'UTC',
          'outcome', a.outcome, 'http_status', a.http_status, 'error_code', a.error_code, 'reason', a.reason,
          'platform_message_id', a.platform_message_id) order by a.fence)
        from outbound.delivery_attempts as a where a.company_id = n.company_id and a.notification_id = n.id
      ) as attempts,
      (
        select jsonb_build_object('conversation_id', k.conversation_id, 'outcome', k.outcome,
          'duration_s', k.duration_s, 'summary', k.summary, 'transcript', k.transcript,
          'started_at', k.started_at at time zone 'UTC', 'ended_at', k.ended_at at time zone 'UTC', 'checks', k.checks)
        from outbound.calls as k where n.voice and k.company_id = n.company_id and k.notification_id = n.id
      ) as call
    from unnest(${ids}::uuid[]) as given(id)
    cross join lateral (
      select o.* from outbound.notification_facts as o where o.company_id = ${companyId} and o.id = given.id limit 1
    ) as n
    cross join lateral (
      select o.name, o.channel, o.notification_type, o.template_name from outbound.campaigns as o
      where o.company_id = ${companyId} and o.id = n.campaign_id limit 1
    ) as g`;
  const asText = (value: unknown) => value === null ? null : JSON.stringify(value);
  return new Map(
    rows.map((row) => [row.id, { ...row, attempts: asText(row.attempts), call: asText(row.call) }]),
  );
}

/** Deletes notifications that are in a file, which this transaction has locked, and counts them for their campaigns. */
export async function deleteArchived(
  sql: Sql,
  { companyId, fileId }: ArchiveIds,
  ids: string[],
): Promise<void> {
  await sql`select outbound.count_archived(${companyId}, ${fileId}, ${ids}::uuid[], 1)`;
  await sql`
    delete from outbound.delivery_attempts where company_id = ${companyId} and notification_id = any (${ids}::uuid[])`;
  await sql`delete from outbound.notification_facts where company_id = ${companyId} and id = any (${ids}::uuid[])`;
}

/** Puts rows of a file back into the database. One that is there stays as it is. */
export async function restoreRows(
  sql: Sql,
  { companyId, fileId }: ArchiveIds,
  rows: ArchivedRow[],
): Promise<void> {
  const time = (name: string) => sql`timestamptz 'epoch' + r.${sql(name)} * interval '1 microsecond'`;
  const restored = await sql<{ id: string }[]>`
    with given as materialized (
      select r.* from jsonb_to_recordset(${jsonParameter(sql, rows)}) as r(
        id uuid, campaign_id uuid, channel text, sender_id uuid, number text, user_id text, status text,
        attempt smallint, fence int, created_at bigint, claimed_at bigint, sent_at bigint, delivered_at bigint,
        read_at bigint, failed_at bigint, skipped_at bigint, cancelled_at bigint, replied_at bigint,
        held_for_quality boolean, is_priced boolean, error_code text, error_reason text, platform_message_id text,
        resent_as uuid, area text, message text, metadata text, attempts text, call text
      )
    ),
    stored as (
      insert into outbound.notification_facts (
        company_id, id, campaign_id, sender_id, voice, number, user_id, message, metadata, status, attempt, fence,
        created_at, claimed_at, sent_at, delivered_at, read_at, failed_at, skipped_at, cancelled_at, replied_at,
        held_for_quality, is_priced, error_code, error_reason, platform_message_id, resent_as, area
      )
      select ${companyId}, r.id, r.campaign_id, r.sender_id, r.channel = 'voice', r.number, r.user_id, r.message::json,
        r.metadata::json, r.status, r.attempt, r.fence, ${time("created_at")}, ${time("claimed_at")},
        ${time("sent_at")}, ${time("delivered_at")}, ${time("read_at")}, ${time("failed_at")}, ${
    time("skipped_at")
  },
        ${time("cancelled_at")}, ${time("replied_at")}, r.held_for_quality, r.is_priced, r.error_code,
        r.error_reason, r.platform_message_id, r.resent_as, r.area
      from given as r
      on conflict on constraint notification_facts_pkey do nothing
      returning id
    ),
    attempt as (
      insert into outbound.delivery_attempts (
        company_id, notification_id, attempt, fence, worker, started_at, finished_at, outcome, http_status,
        error_code, reason, platform_message_id
      )
      select ${companyId}, r.id, a.attempt, a.fence, a.worker, a.started_at at time zone 'UTC',
        a.finished_at at time zone 'UTC', a.outcome, a.http_status, a.error_code, a.reason, a.platform_message_id
      from given as r join stored on stored.id = r.id
      cross join jsonb_to_recordset(r.attempts::jsonb) as a(
        attempt smallint, fence int, worker text, started_at timestamp, finished_at timestamp, outcome text,
        http_status int, error_code text, reason text, platform_message_id text
      )
      on conflict on constraint delivery_attempts_pkey do nothing
    ),
    call as (
      insert into outbound.calls (
        company_id, notification_id, conversation_id, outcome, duration_s, summary, transcript, started_at, ended_at,
        checks
      )
      select ${companyId}, r.id, k.conversation_id, k.outcome, k.duration_s, k.summary, k.transcript,
        k.started_at at time zone 'UTC', k.ended_at at time zone 'UTC', k.checks
      from given as r join stored on stored.id = r.id
      cross join jsonb_to_record(r.call::jsonb) as k(
        conversation_id text, outcome text, duration_s int, summary text, transcript jsonb, started_at timestamp,
        ended_at timestamp, checks int
      )
      where r.call is not null
      on conflict on constraint calls_pkey do nothing
    )
    select id from stored`;
  const ids = restored.map(({ id }) => id);
  await sql`select outbound.count_archived(${companyId}, ${fileId}, ${ids}::uuid[], -1)`;
}
