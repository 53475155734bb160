import type { CallOutcome } from "../calls/calls.ts";
import type { Address } from "../../values/address.ts";
import type { Sql } from "../driver/connect.ts";
import type { CampaignIds } from "./campaign_control.ts";
import type { SENDER_WAITS } from "./campaigns.ts";
import { readPages } from "../driver/read_pages.ts";

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

/** Reads a page of a campaign's recipients in the order of their ids, which is that of the request. */
export async function readRecipientPage(sql: Sql, query: RecipientPageQuery): Promise<RecipientRow[]> {
  return await sql<RecipientRow[]>`
    with wait as materialized (
      select g.sender_id, w.* from outbound.campaigns as g
      cross join lateral outbound.sender_wait(g.company_id, g.sender_id) as w
      where g.company_id = ${query.companyId} and g.id = ${query.campaignId}
    )
    select ${recipientColumns(sql)}
    from ${query.number === undefined ? recipientsOf(sql, query) : sentTo(sql, query.number, query)} as n
    left join lateral (
      select o.outcome, o.duration_s from outbound.calls as o
      where n.voice and o.company_id = n.company_id and o.notification_id = n.id limit 1
    ) as k on true
    ${waitOf(sql)}
    order by n.id limit ${query.limit}`;
}

function recipientsOf(
  sql: Sql,
  { companyId, campaignId, status, code, heldForQuality, after, limit }: RecipientPageQuery,
) {
  return sql`outbound.list_recipients(
    ${companyId}, ${campaignId}, ${after ?? null}, ${limit}, ${status ?? null}, ${code ?? null},
    ${heldForQuality || null}
  )`;
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

const PAGE = 1000;

/**
 * Reads a campaign's recipients in the order of their ids, page by page: see {@link readPages}. None is repeated, and none
 * is missed of those who were there when the first page was read; each row shows the state when its page was read.
 */
export function readRecipients(sql: Sql, query: RecipientsQuery): AsyncGenerator<RecipientRow[]> {
  return readPages(PAGE, (after) => readRecipientPage(sql, { ...query, after, limit: PAGE }));
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
      select unnest(outbound.addresses_of(${companyId}, ${number}, ${user_id})) as address
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
