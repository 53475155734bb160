import type { CallOutcome } from "../calls/calls.ts";
import type { Address } from "../../values/address.ts";
import type { Sql } from "../driver/connect.ts";
import type { CampaignIds } from "./campaign_control.ts";
import type { SENDER_WAITS } from "./campaigns.ts";
import { knownCodes } from "./failures.ts";

/** Every state of a notification; docs/states.md says who moves it from one to the next. */
export const NOTIFICATION_STATUSES = [
  "scheduled",
  "queued",
  "sending",
  "unconfirmed",
  "sent",
  "delivered",
  "read",
  "failed",
  "cancelled",
  "skipped",
] as const;

export type NotificationStatus = typeof NOTIFICATION_STATUSES[number];

/** The state of one notification. */
export interface RecipientRow {
  id: string;
  /** Null where the recipient is known by a user id only, or was erased. */
  number: string | null;
  user_id: string | null;
  /** Of the contact with this address; where names are asked for. */
  contact_name?: string | null;
  status: NotificationStatus;
  queued_at: Date;
  sent_at: Date | null;
  delivered_at: Date | null;
  read_at: Date | null;
  failed_at: Date | null;
  skipped_at: Date | null;
  replied_at: Date | null;
  /** True while the platform holds it until it knows the template's quality. */
  held_for_quality: true | null;
  attempts: number;
  error_code: string | null;
  error_reason: string | null;
  /** The client's own facts. */
  metadata: Record<string, unknown> | null;
  /** The notification that replaced it; null when none did. */
  resent_as: string | null;
  /** Why it waits whatever became of its last attempt: by its campaign or its sender; null when neither keeps it. */
  wait_code:
    | typeof SENDER_WAITS[number]
    | "template_not_approved"
    | "campaign_paused"
    | "behind_others"
    | null;
  wait_since: Date | null;
  /** The platform's words about it, or the template's state. */
  wait_detail: string | null;
  /** Until when it waits, as far as that is known; null when it does not. */
  waits_until: Date | null;
  /** How a call ended; null for a chat message, and until the platform reports it. */
  outcome: CallOutcome | null;
  duration_s: number | null;
}

export interface RecipientsQuery extends CampaignIds {
  /** Only recipients in this state. */
  status?: NotificationStatus | undefined;
  /** Only recipients with this code, the platform's or ours. */
  code?: string | undefined;
  /** Only this number, under any alias. */
  number?: string | undefined;
  /** Only recipients whose messages the platform holds. */
  heldForQuality?: boolean | undefined;
  /** With the names of the contacts. */
  withNames?: boolean | undefined;
}

function recipientColumns(sql: Sql) {
  return sql`
    n.id, n.number, n.user_id, n.status, n.created_at as queued_at, n.sent_at, n.delivered_at, n.read_at, n.failed_at,
    n.skipped_at, n.replied_at, n.attempt as attempts, n.error_code, n.error_reason, n.metadata, n.resent_as,
    n.held_for_quality,
    k.outcome, k.duration_s,
    case
      when n.held_run_at is not null then null
      when n.status = 'unconfirmed' then n.lease_until
      when wait.wait_reason is not null then case when wait.wait_until > now() then greatest(wait.wait_until, n.run_at) end
      when n.status in ('scheduled', 'queued') and n.run_at > now() then n.run_at
    end as waits_until,
    case
      when held.reason is not null then 'template_not_approved'
      when n.held_run_at is not null then 'campaign_paused'
      when wait.wait_reason is not null then wait.wait_reason
      when n.status = 'queued' and n.error_reason is null and n.run_at < now() - interval '5 seconds' then 'behind_others'
    end as wait_code,
    wait.wait_since, coalesce(held.reason, wait.wait_detail) as wait_detail`;
}

/** Joins what keeps a notification `n`: its campaign, or the `wait` of its sender, which is read once per page. */
function waitOf(sql: Sql) {
  return sql`
    left join lateral (
      select g.held_reason as reason from outbound.campaigns as g
      where n.held_run_at is not null and g.company_id = n.company_id and g.id = n.campaign_id limit 1
    ) as held on true
    left join wait on wait.sender_id = n.sender_id and n.held_run_at is null and n.status in ('scheduled', 'queued')
      and (n.run_at <= now() or wait.wait_reason in ('sender_stopped', 'sender_locked'))`;
}

export interface RecipientPageQuery extends RecipientsQuery {
  /** The last recipient of the page before. */
  after?: string | undefined;
  limit: number;
}

/** A page of recipients, and the id to read on after; null at the end. */
export interface RecipientPage {
  rows: RecipientRow[];
  next: string | null;
}

/**
 * Reads a page of a campaign's recipients in the order of their ids, which is that of the request. A page costs the same
 * however large the campaign is: where a filter leaves few, it may hold less than the limit, or nothing, and have a
 * `next` all the same.
 */
export async function readRecipientPage(sql: Sql, query: RecipientPageQuery): Promise<RecipientPage> {
  const { limit } = query;
  if (query.number !== undefined) {
    return pageOf(await readRows(sql, query, sentTo(sql, query.number, query)), limit);
  }
  if (!isFiltered(query)) return pageOf(await readRows(sql, query, inOrder(sql, query, limit)), limit);
  const { ids, next } = await findRecipients(sql, query);
  return { rows: ids.length === 0 ? [] : await readRows(sql, query, byId(sql, query, ids)), next };
}

/** Returns one recipient of a campaign. */
export async function readRecipient(
  sql: Sql,
  { notificationId, ...query }: RecipientsQuery & { notificationId: string },
): Promise<RecipientRow | undefined> {
  const { companyId, campaignId } = query;
  const found = sql`(
    select m.* from outbound.notifications as m
    where m.company_id = ${companyId} and m.id = ${notificationId}
      and case when m.campaign_id = ${campaignId} then true end
    limit 1
  )`;
  const [row] = await readRows(sql, { ...query, limit: 1 }, found);
  return row;
}

function pageOf(rows: RecipientRow[], limit: number): RecipientPage {
  return { rows, next: rows.length < limit ? null : rows.at(-1)!.id };
}

function isFiltered({ status, code, heldForQuality }: RecipientsQuery): boolean {
  return status !== undefined || code !== undefined || heldForQuality === true;
}

async function readRows(
  sql: Sql,
  { companyId, campaignId, limit, withNames = false }: RecipientPageQuery,
  notifications: ReturnType<typeof inOrder>,
): Promise<RecipientRow[]> {
  return await sql<RecipientRow[]>`
    with wait as materialized (
      select g.sender_id, w.* from outbound.campaigns as g
      cross join lateral outbound.sender_wait(g.company_id, g.sender_id) as w
      where g.company_id = ${companyId} and g.id = ${campaignId}
    )
    select ${recipientColumns(sql)}, who.name as contact_name
    from ${notifications} as n
    left join lateral (
      select o.outcome, o.duration_s from outbound.calls as o
      where n.voice and o.company_id = n.company_id and o.notification_id = n.id limit 1
    ) as k on true
    left join lateral (
      select a.contact_id from outbound.contact_addresses as a
      where ${withNames} and a.company_id = ${companyId} and a.kind = case when n.number is null then 'user_id' else 'number' end
        and a.address = coalesce(n.number, n.user_id) limit 1
    ) as known on true
    left join lateral (
      select c.name from outbound.contacts as c
      where c.company_id = ${companyId} and c.id = known.contact_id limit 1
    ) as who on true
    ${waitOf(sql)}
    order by n.id limit ${limit}`;
}

function inOrder(sql: Sql, { companyId, campaignId, after }: RecipientPageQuery, limit: number) {
  return sql`outbound.list_recipients(${companyId}, ${campaignId}, ${
    after ?? null
  }, ${limit}, null, null, null)`;
}

function byId(sql: Sql, { companyId }: RecipientPageQuery, ids: string[]) {
  return sql`(
    select found.* from unnest(${ids}::uuid[]) as given(id)
    cross join lateral (
      select m.* from outbound.notifications as m where m.company_id = ${companyId} and m.id = given.id offset 0
    ) as found
  )`;
}

/** So many recipients are looked at for a page of a filtered list. */
const LOOKED_AT = 2000;

/** Finds the recipients of a page that the filters leave. */
async function findRecipients(
  sql: Sql,
  query: RecipientPageQuery,
): Promise<{ ids: string[]; next: string | null }> {
  const { status, limit } = query;
  if (status === "failed" || status === "skipped") {
    const ids = await findFailed(sql, { ...query, status });
    return { ids, next: ids.length < limit ? null : ids.at(-1)! };
  }
  const [found] = await sql<{ ids: string[]; looked_to: string | null }[]>`
    with looked_at as materialized (
      select l.id, l.status, l.error_code, l.held_for_quality from ${inOrder(sql, query, LOOKED_AT)} as l
    )
    select array(
      select l.id from looked_at as l
      where true ${status === undefined ? sql`` : sql`and l.status = ${status}`}
        ${query.code === undefined ? sql`` : sql`and l.error_code = ${query.code}`}
        ${query.heldForQuality ? sql`and l.held_for_quality` : sql``}
      order by l.id limit ${limit}
    ) as ids, (select l.id from looked_at as l order by l.id offset ${LOOKED_AT - 1} limit 1) as looked_to`;
  const { ids, looked_to } = found!;
  return { ids, next: ids.length < limit ? looked_to : ids.at(-1)! };
}

/** The codes of recipients that were skipped (outbound.skip_reason); nothing fails with one of them. */
const SKIP_CODES = ["opted_out", "no_consent", "frequency_cap", "erased"];

/** Finds recipients that failed or were skipped by the index of failures, however few there are in the campaign. */
async function findFailed(
  sql: Sql,
  { companyId, campaignId, status, code, heldForQuality, after, limit }: RecipientPageQuery & {
    status: "failed" | "skipped";
  },
): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    with recursive known as (${knownCodes(sql, campaignId)})
    select failed.id from known
    cross join lateral (
      select n.id from outbound.notification_facts as n
      where n.campaign_id = ${campaignId} and coalesce(n.error_code, 'unknown') = known.code
        and (n.failed_at is not null or n.skipped_at is not null)
        ${after === undefined ? sql`` : sql`and n.id > ${after}`}
        and case when n.company_id = ${companyId} and n.status = ${status} then true end
        ${heldForQuality ? sql`and n.held_for_quality` : sql``}
      order by n.campaign_id, coalesce(n.error_code, 'unknown'), n.id limit ${limit}
    ) as failed
    where (known.code = any (${SKIP_CODES})) = ${status === "skipped"}
      ${code === undefined ? sql`` : sql`and known.code = ${code}`}
    order by failed.id limit ${limit}`;
  return rows.map(({ id }) => id);
}

/** A campaign's notifications to one number. Read by the number, however many recipients there are. */
function sentTo(
  sql: Sql,
  number: string,
  { companyId, campaignId, status, code, heldForQuality, after }: RecipientPageQuery,
) {
  return sql`(
    select sent.* from unnest(outbound.addresses_of(${companyId}, ${number}, null)) as address
    cross join lateral (
      select m.* from outbound.notifications as m where m.company_id = ${companyId} and m.number = address offset 0
    ) as sent
    where sent.campaign_id = ${campaignId}
      ${after === undefined ? sql`` : sql`and sent.id > ${after}`}
      ${status === undefined ? sql`` : sql`and sent.status = ${status}`}
      ${code === undefined ? sql`` : sql`and sent.error_code = ${code}`}
      ${heldForQuality ? sql`and sent.held_for_quality` : sql``}
  )`;
}

/** Returns the keys of metadata that columns of a campaign's file fill, in the order of the alphabet. */
export async function readMetadataKeys(
  sql: Sql,
  { companyId, campaignId }: CampaignIds,
): Promise<string[]> {
  const rows = await sql<{ key: string }[]>`
    select substr(field, length('metadata.') + 1) as key
    from (
      select o.plan from outbound.campaign_uploads as o
      where o.company_id = ${companyId} and o.campaign_id = ${campaignId} limit 1
    ) as u
    cross join lateral jsonb_object_keys(u.plan -> 'columns') as field
    where starts_with(field, 'metadata.') order by field`;
  return rows.map(({ key }) => key);
}

const PAGE = 1000;

/**
 * Reads a campaign's recipients in the order of their ids, page by page; each page is a query of its own, as in
 * {@link readPages}. None is repeated, and none is missed of those who were there when the first page was read; each row
 * shows the state when its page was read.
 */
export async function* readRecipients(sql: Sql, query: RecipientsQuery): AsyncGenerator<RecipientRow[]> {
  let after: string | undefined;
  do {
    const { rows, next } = await readRecipientPage(sql, { ...query, after, limit: PAGE });
    if (rows.length > 0) yield rows;
    after = next ?? undefined;
  } while (after !== undefined);
}

/** A notification to a person, with its campaign. */
export interface PersonRow extends RecipientRow {
  campaign_id: string;
  campaign_name: string;
  channel: "whatsapp" | "voice";
  notification_type: string;
  template_name: string | null;
}

export interface PersonQuery extends Address {
  companyId: string;
  campaignId?: string | undefined;
  status?: NotificationStatus | undefined;
  /** The id of the last row of the page before. */
  after?: string | undefined;
  limit: number;
}

/** Reads what was sent to a person under every known address, the newest first: one page, by the indexes of addresses. */
export async function readPersonRecipients(sql: Sql, query: PersonQuery): Promise<PersonRow[]> {
  const { companyId, number, user_id, campaignId, status, after, limit } = query;
  // The filters are written so that no index matches them: it would read a whole campaign.
  const filters = sql`
    ${after === undefined ? sql`` : sql`and n.id < ${after}`}
    ${campaignId === undefined ? sql`` : sql`and case when n.campaign_id = ${campaignId} then true end`}
    ${status === undefined ? sql`` : sql`and case when n.status = ${status} then true end`}`;
  return await sql<PersonRow[]>`
    with address as materialized (
      select unnest(outbound.addresses_of_person(${companyId}, ${number}, ${user_id}, null)) as address
    ),
    found as materialized (
      select distinct sent.id from address
      cross join lateral (
        (
          select n.id from outbound.notifications as n
          where n.company_id = ${companyId} and n.number = address.address ${filters}
          order by n.company_id desc, n.number desc, n.id desc limit ${limit}
        )
        union all
        (
          select n.id from outbound.notifications as n
          where n.company_id = ${companyId} and n.user_id = address.address ${filters}
          order by n.company_id desc, n.user_id desc, n.id desc limit ${limit}
        )
      ) as sent
      order by sent.id desc limit ${limit}
    ),
    wait as materialized (
      select s.sender_id, w.* from (
        select distinct n.sender_id from found
        join outbound.notifications as n on n.company_id = ${companyId} and n.id = found.id
        where n.status in ('scheduled', 'queued')
      ) as s
      cross join lateral outbound.sender_wait(${companyId}, s.sender_id) as w
    )
    select ${
    recipientColumns(sql)
  }, campaign.id as campaign_id, campaign.name as campaign_name, campaign.channel,
      campaign.notification_type, campaign.template_name
    from found
    join outbound.notifications as n on n.company_id = ${companyId} and n.id = found.id
    join outbound.campaigns as campaign on campaign.company_id = n.company_id and campaign.id = n.campaign_id
    left join outbound.calls as k on n.voice and k.company_id = n.company_id and k.notification_id = n.id
    ${waitOf(sql)}
    order by n.id desc`;
}
