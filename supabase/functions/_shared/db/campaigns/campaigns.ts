import { firstIdAt } from "../../values/uuid.ts";
import type { Sql } from "../driver/connect.ts";

/** Why nothing leaves a sender, from `outbound.sender_wait`. */
export const SENDER_WAITS = [
  "sender_stopped",
  "sender_locked",
  "budget_reached",
  "no_dispatcher",
  "platform_unreachable",
  "lines_busy",
  "rate_limited",
] as const;

/** Why a sender or a campaign waits: `outbound.sender_wait` and `outbound.campaign_wait` return it. */
export const WAIT_REASONS = [
  ...SENDER_WAITS,
  "unconfirmed",
  "behind_others",
  "platform_refused",
  "sending_hours",
  "marketing_cooldown",
  "call_gap",
  "rules_unreadable",
] as const;

/** A campaign's counters and times, as stored. */
export const CAMPAIGN_STATUSES = ["scheduled", "sending", "paused", "completed", "cancelled"] as const;

export interface CampaignRow extends WaitColumns {
  campaign_id: string;
  campaign_name: string;
  channel: "whatsapp" | "voice";
  notification_type: string;
  status: typeof CAMPAIGN_STATUSES[number];
  total: number;
  pending: number;
  processing: number;
  /** Delivered and read ones included. */
  sent: number;
  delivered: number;
  read: number;
  failed: number;
  cancelled: number;
  skipped: number;
  /** Recipients who replied. */
  replied: number;
  /** Contacts of its requests that were refused; not part of `total`. */
  rejected: number;
  created_at: Date;
  scheduled_time: Date | null;
  started_at: Date | null;
  completed_at: Date | null;
  /** When it closes by itself; null unless it is open for more requests. */
  open_until: Date | null;
  /** Why nothing of it is sent; null unless `status` is paused. */
  paused_reason: "sender_stopped" | "template_not_approved" | "operator" | null;
  /** The same, in a sentence for people. */
  paused_detail: string | null;
}

/** Why nothing leaves, since when and until when; nulls while something leaves. */
export interface WaitColumns {
  wait_reason: typeof WAIT_REASONS[number] | null;
  wait_since: Date | null;
  wait_until: Date | null;
}

export interface CampaignLookup {
  company_id: string;
  key_id: string;
  /** Null when it is not a campaign of the key's company. */
  campaign: CampaignRow | null;
}

/**
 * Finds a campaign by id for the holder of a key, in one round trip. Counts no request. Undefined when the key is not
 * valid. A key that is limited to senders finds their campaigns.
 */
export async function readCampaign(
  sql: Sql,
  query: { keyHash: string; campaignId: string | null },
): Promise<CampaignLookup | undefined> {
  const [row] = await sql<(CampaignRow & { key_company_id: string; key_id: string; found: boolean })[]>`
    select k.company_id as key_company_id, k.id as key_id, g.id is not null as found, g.*, g.id as campaign_id, g.name as campaign_name, state.*, ${
    waitColumns(sql)
  }
    from outbound.find_key(${query.keyHash}) as k
    left join outbound.campaigns as g on g.company_id = k.company_id and g.id = ${query.campaignId}
      and (k.sender_ids is null or g.sender_id = any (k.sender_ids))
    left join lateral outbound.campaign_state(g) as state on true
    ${waitOf(sql)}`;
  return row && { company_id: row.key_company_id, key_id: row.key_id, campaign: row.found ? row : null };
}

/** A campaign as operators see it, and why nothing of it leaves (`outbound.campaign_wait`). */
export interface CampaignSummary extends CampaignRow {
  company_id: string;
  template_name: string | null;
  /** Of the request. */
  timezone: string | null;
}

function waitColumns(sql: Sql) {
  return sql`
    wait.wait_reason, wait.wait_since, wait.wait_until`;
}

function summaryColumns(sql: Sql) {
  return sql`
    g.id as campaign_id, g.company_id, g.name as campaign_name, g.channel,
      g.notification_type, g.template_name,
      state.status, g.total, g.pending, g.processing, g.sent, g.delivered, g.read,
      g.failed, g.cancelled, g.skipped, g.replied, g.rejected, g.created_at, g.scheduled_time, g.timezone,
      g.started_at, g.completed_at, g.open_until,
      state.paused_reason, state.paused_detail, ${waitColumns(sql)}`;
}

/** The columns that are derived of a campaign `g`. */
function derivedOf(sql: Sql) {
  return sql`
    cross join lateral outbound.campaign_state(g) as state
    ${waitOf(sql)}`;
}

/**
 * Joins why nothing of a campaign `g` leaves. The condition stands within, and the limit keeps it there: the function is
 * not even called for the others.
 */
function waitOf(sql: Sql) {
  return sql`
    left join lateral (
      select w.* from outbound.campaign_wait(g) as w where state.status = 'sending' limit 1
    ) as wait on true`;
}

/** Returns the latest campaigns of one company, or of all, newest first: ids are in the order of their making. */
export async function readCampaigns(
  sql: Sql,
  { companyId, channel, name, isOpen, from, to, after, limit }: {
    companyId?: string | undefined;
    channel?: CampaignRow["channel"] | undefined;
    /** A part of the name, in any case. */
    name?: string | undefined;
    /** Only those that are not over, or only those that are. */
    isOpen?: boolean | undefined;
    /** Only those made at or after this time, and before that one: their ids carry it. */
    from?: string | undefined;
    to?: string | undefined;
    /** The last campaign of the page before. */
    after?: string | undefined;
    limit: number;
  },
): Promise<CampaignSummary[]> {
  const first = from && firstIdAt(new Date(from));
  const end = to && firstIdAt(new Date(to));
  const before = [after?.toLowerCase(), end].filter((id) => id !== undefined).sort()[0];
  if (companyId && !isOpen && !name && !first) {
    return await sql<CampaignSummary[]>`
      select ${summaryColumns(sql)}
      from outbound.list_campaigns(
        ${companyId}, ${channel ?? null}, ${isOpen === false}, ${before ?? null}, ${limit}
      ) as g ${derivedOf(sql)}
      order by g.id desc`;
  }
  // The page first: what is derived of a campaign takes longer than to find it.
  return await sql<CampaignSummary[]>`
    select ${summaryColumns(sql)}
    from (
      select w.company_id, w.id
      from ${
    companyId && isOpen
      ? sql`unnest(outbound.open_campaigns(${companyId}, ${before ?? null}, ${
        channel || name ? null : limit
      })) as open(id)
        join outbound.campaigns as w on w.company_id = ${companyId} and w.id = open.id`
      : sql`outbound.campaigns as w`
  }
      where true
        ${companyId ? sql`and w.company_id = ${companyId}` : sql``}
        ${channel ? sql`and w.channel = ${channel}` : sql``}
        ${name ? sql`and strpos(lower(w.name), lower(${name})) > 0` : sql``}
        ${isOpen === undefined ? sql`` : sql`and (w.completed_at is null) = ${isOpen}`}
        ${before ? sql`and w.id < ${before}` : sql``}
        ${first ? sql`and w.id >= ${first}` : sql``}
      order by w.id desc limit ${limit}
    ) as page
    join outbound.campaigns as g on g.company_id = page.company_id and g.id = page.id ${derivedOf(sql)}
    order by g.id desc`;
}

/** Returns the campaign with this id, of whichever company. */
export async function readCampaignSummary(
  sql: Sql,
  { companyId, campaignId }: { companyId?: string | undefined; campaignId: string },
): Promise<CampaignSummary | undefined> {
  const [row] = await sql<CampaignSummary[]>`
    select ${summaryColumns(sql)} from outbound.campaigns as g ${derivedOf(sql)}
    where g.id = ${campaignId} ${companyId ? sql`and g.company_id = ${companyId}` : sql``}`;
  return row;
}

/** A campaign with what it is sent by. */
export interface CampaignDetails extends CampaignSummary {
  name_event: string | null;
  /** How the times of its messages differ (`AcceptRequest`). */
  recipient_time: string | null;
  spread_over: string | null;
  /** As in the audit. */
  created_by: string;
  /** The campaign whose failures it was sent again to. */
  resend_of: { campaign_id: string; campaign_name: string } | null;
  /** The file or the audience that it was made of; null for one of a program. */
  upload_id: string | null;
  paused_at: Date | null;
  cancelled_at: Date | null;
  /** Since then its messages are in the archive; null while they are here. */
  archived_at: Date | null;
  sender: {
    sender_id: string;
    number: string;
    status: "active" | "stopped";
    stopped_reason: string | null;
    stopped_code: string | null;
  };
  /** As it is now; `name` and `language` are those of the request. Null for calls. */
  template:
    | {
      template_id: string;
      name: string;
      language: string;
      status: string | null;
      rejected_reason: string | null;
    }
    | null;
  /** Null for messages. */
  agent: { agent_id: string; name: string; status: "active" | "disabled" } | null;
  /** Null until it starts. */
  started_before_s: number | null;
}

/** Returns one campaign with what it is sent by. */
export async function readCampaignDetails(
  sql: Sql,
  { companyId, campaignId }: { companyId: string; campaignId: string },
): Promise<CampaignDetails | undefined> {
  const [row] = await sql<CampaignDetails[]>`
    select ${summaryColumns(sql)}, g.name_event, b.timing ->> 'recipient_time' as recipient_time,
      b.timing ->> 'spread_over' as spread_over, u.id as upload_id,
      coalesce(u.created_by, resent.actor, 'key:' || g.api_key_id) as created_by,
      case when origin.id is not null then jsonb_build_object('campaign_id', origin.id, 'campaign_name', origin.name)
      end as resend_of, g.paused_at,
      g.cancelled_at, (
        select min(o.archived_at) from outbound.archived_campaigns as o
        where o.company_id = g.company_id and o.campaign_id = g.id
      ) as archived_at,
      extract(epoch from now() - g.started_at)::float8 as started_before_s,
      jsonb_build_object('sender_id', s.id, 'number', s.number, 'status', s.status, 'stopped_reason', s.stopped_reason,
        'stopped_code', s.stopped_code) as sender,
      case when g.template_id is not null then jsonb_build_object('template_id', g.template_id, 'name', g.template_name,
        'language', g.template_language, 'status', t.status, 'rejected_reason', t.rejected_reason) end as template,
      case when a.id is not null then jsonb_build_object('agent_id', a.id, 'name', a.name, 'status', a.status) end as agent
    from outbound.campaigns as g ${derivedOf(sql)}
    join outbound.senders as s on s.company_id = g.company_id and s.id = g.sender_id
    left join outbound.templates as t on t.company_id = g.company_id and t.id = g.template_id
    left join outbound.voice_agents as a on a.company_id = g.company_id and a.id = g.agent_id
    left join outbound.bulk_campaigns as b on b.company_id = g.company_id and b.campaign_id = g.id
    left join lateral (
      select o.id, o.created_by from outbound.campaign_uploads as o
      where o.company_id = g.company_id and o.campaign_id = g.id limit 1
    ) as u on true
    -- Written in the transaction that made the campaign (beginResend).
    left join lateral (
      select l.actor, l.subject from outbound.audit_log as l
      where l.company_id = g.company_id and l.at = g.created_at and l.action = 'campaign.resent'
        and l.after ->> 'campaign_id' = g.id::text
      limit 1
    ) as resent on true
    left join lateral (
      select o.id, o.name from outbound.campaigns as o
      where o.company_id = g.company_id and o.id = resent.subject::uuid limit 1
    ) as origin on true
    where g.company_id = ${companyId} and g.id = ${campaignId}`;
  return row;
}

/** One counter of a campaign, as stored and as counted from its notifications. */
export interface CounterCheck {
  counter: string;
  stored: number;
  actual: number;
}

/** Counts a campaign's notifications and compares them with its counters. */
export async function checkCounters(
  sql: Sql,
  { companyId, campaignId }: { companyId: string; campaignId: string },
): Promise<CounterCheck[]> {
  const rows = await sql<CounterCheck[]>`
    select counter, stored, actual from outbound.verify_campaign(${companyId}, ${campaignId})`;
  return rows.map((row) => ({ ...row }));
}
