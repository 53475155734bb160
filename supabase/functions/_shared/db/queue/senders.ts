import { afterRow } from "../driver/after_row.ts";
import type { Actor } from "../access/audit.ts";
import type { WaitColumns } from "../campaigns/campaigns.ts";
import type { Sql } from "../driver/connect.ts";
import type { TemplateAccount } from "../templates/templates.ts";

/** A sender to be stored. */
export interface NewSender {
  companyId: string;
  senderId: string;
  channel: "whatsapp" | "voice";
  /** International format, 7 to 15 digits, no leading 0. */
  number: string;
  /** The platform's id of the number: `phone_number_id` on WhatsApp, `agent_phone_number_id` for calls. */
  platformId: string;
  /** The WhatsApp business account; needed on that channel. */
  wabaId: string | null;
  tokenSealed: string | null;
  /** Messages per second. */
  ratePerSecond: number;
  /** Voice: calls at a time. */
  concurrency: number;
  /** WhatsApp: where templates of category MARKETING go. */
  marketingEndpoint: MarketingEndpoint;
}

/** The platform's endpoint for all messages, or that for marketing. */
export type MarketingEndpoint = "messages" | "marketing_messages";

/** Stores a sender. */
export async function insertSender(sql: Sql, sender: NewSender, by: Actor): Promise<void> {
  const { companyId, senderId, channel, number, platformId, wabaId, tokenSealed } = sender;
  await sql`
    with added as (
      insert into outbound.senders
        (company_id, id, channel, number, platform_id, waba_id, token_sealed, rate_per_second, concurrency,
          marketing_endpoint)
      values (${companyId}, ${senderId}, ${channel}, ${number}, ${platformId}, ${wabaId}, ${tokenSealed},
        ${sender.ratePerSecond}, ${sender.concurrency}, ${sender.marketingEndpoint})
      returning *
    )
    select outbound.write_audit(
      company_id, ${by.actor}, 'sender.created', id::text, null,
      jsonb_build_object('channel', channel, 'number', number, 'platform_id', platform_id, 'waba_id', waba_id,
        'rate_per_second', rate_per_second, 'concurrency', concurrency,
        'marketing_endpoint', marketing_endpoint),
      ${by.requestId ?? null}
    ) from added`;
}

/** The settings of a sender to change; the others stay. */
export interface SenderSettings {
  companyId: string;
  senderId: string;
  tokenSealed: string | null;
  ratePerSecond: number | null;
  concurrency: number | null;
  marketingEndpoint: MarketingEndpoint | null;
  /** Lets a sender that the platform had stopped send again. Earlier reports of the platform then change nothing. */
  resume: boolean;
}

/** A sender's settings and status, after a change. */
export interface ChangedSender {
  status: SenderRow["status"];
  rate_per_second: number;
  concurrency: number;
}

/** Changes a sender's settings. Undefined when there is no such sender. */
export async function updateSenderSettings(
  sql: Sql,
  { companyId, senderId, tokenSealed, ratePerSecond, concurrency, marketingEndpoint, resume }: SenderSettings,
  by: Actor,
): Promise<ChangedSender | undefined> {
  const [row] = await sql<ChangedSender[]>`
    with old as materialized (
      select * from outbound.senders where company_id = ${companyId} and id = ${senderId} for no key update
    ),
    changed as (
      update outbound.senders as s
      set token_sealed = coalesce(${tokenSealed}, s.token_sealed),
        rate_per_second = coalesce(${ratePerSecond}, s.rate_per_second),
        concurrency = coalesce(${concurrency}, s.concurrency),
        marketing_endpoint = coalesce(${marketingEndpoint}, s.marketing_endpoint),
        status = case when ${resume} then 'active' else s.status end,
        stopped_reason = case when ${resume} then null else s.stopped_reason end,
        stopped_code = case when not ${resume} then s.stopped_code end,
        stopped_at = case when ${resume} then null else s.stopped_at end,
        locked = s.locked and not ${resume},
        stopped_by_account = s.stopped_by_account and not ${resume},
        stopped_until = case when not ${resume} then s.stopped_until end,
        account_status_at = case when ${resume} then now() else s.account_status_at end
      from old where s.company_id = old.company_id and s.id = old.id
      returning s.*
    )
    select changed.status, changed.rate_per_second, changed.concurrency,
      outbound.audit_change(
        changed.company_id, ${by.actor},
        case when ${resume} and old.status = 'stopped' then 'sender.resumed' else 'sender.updated' end,
        changed.id::text,
        jsonb_build_object('status', old.status, 'stopped_reason', old.stopped_reason,
          'rate_per_second', old.rate_per_second, 'concurrency', old.concurrency,
          'marketing_endpoint', old.marketing_endpoint, 'token', 'before'),
        jsonb_build_object('status', changed.status, 'stopped_reason', changed.stopped_reason,
          'rate_per_second', changed.rate_per_second, 'concurrency', changed.concurrency,
          'marketing_endpoint', changed.marketing_endpoint,
          'token', case when changed.token_sealed is distinct from old.token_sealed then 'replaced' else 'before' end),
        ${by.requestId ?? null}
      )
    from changed cross join old`;
  return row && { status: row.status, rate_per_second: row.rate_per_second, concurrency: row.concurrency };
}

/** A sender as operators see it; never its token. */
export interface SenderRow {
  sender_id: string;
  company_id: string;
  channel: NewSender["channel"];
  number: string;
  platform_id: string;
  waba_id: string | null;
  has_token: boolean;
  /** Messages per second. */
  rate_per_second: number;
  /** Voice: calls at a time. */
  concurrency: number;
  /** WhatsApp: where templates of category MARKETING go. */
  marketing_endpoint: MarketingEndpoint;
  status: "active" | "stopped";
  stopped_reason: string | null;
  /** The platform's code for it, where a refused message stopped the sender and had one. */
  stopped_code: string | null;
  /** The platform has locked the account: requests for this sender are refused. */
  locked: boolean;
  /** When the platform's restriction ends, if it said so. */
  stopped_until: Date | null;
  /** How many people per day the business may write to first, in the platform's words: TIER_250, TIER_2K … */
  messaging_limit: string | null;
  /** RED, or UNKNOWN when it is no longer that; null until the platform has reported it. */
  quality: string | null;
  /** The platform's last warning about the account, and when it came. */
  platform_notice: string | null;
  platform_notice_at: Date | null;
}

function senderColumns(sql: Sql) {
  return sql`
    s.id as sender_id, s.company_id, s.channel, s.number, s.platform_id,
    s.waba_id, s.token_sealed is not null as has_token, s.rate_per_second,
    s.concurrency, s.marketing_endpoint, s.status, s.stopped_reason, s.stopped_code,
    s.locked, s.stopped_until,
    s.messaging_limit, s.quality, s.platform_notice,
    nullif(s.platform_notice_at, '-infinity') as platform_notice_at`;
}

/** Returns the senders of one company, or of all, or the one with this id. */
export async function readSenders(
  sql: Sql,
  { companyId, senderId }: { companyId?: string | undefined; senderId?: string },
): Promise<SenderRow[]> {
  return await sql<SenderRow[]>`
    select ${senderColumns(sql)} from outbound.senders as s
    where true ${companyId ? sql`and s.company_id = ${companyId}` : sql``}
      ${senderId ? sql`and s.id = ${senderId}` : sql``}
    order by s.company_id, s.created_at, s.id`;
}

/** A sender with its pace now. */
export interface PacedSender extends SenderRow, WaitColumns {
  created_at: Date;
  stopped_at: Date | null;
  /** The share of its rate or lines that it may use: the platform's refusals halve it for a while. */
  throttle: number;
}

export interface SenderPageQuery {
  companyId: string;
  channel?: SenderRow["channel"] | undefined;
  status?: SenderRow["status"] | undefined;
  /** The last sender of the page before. */
  after?: string | undefined;
  limit: number;
}

/** Returns a page of a company's senders, newest first. */
export async function readSenderPage(
  sql: Sql,
  { companyId, channel, status, after, limit }: SenderPageQuery,
): Promise<PacedSender[]> {
  return await sql<PacedSender[]>`
    ${pacedSenders(sql)}
    where s.company_id = ${companyId}
      ${channel ? sql`and s.channel = ${channel}` : sql``}
      ${status ? sql`and s.status = ${status}` : sql``}
      ${afterRow(sql, "s", { table: "outbound.senders", companyId, after })}
    order by s.created_at desc, s.id desc limit ${limit}`;
}

function pacedSenders(sql: Sql, more = sql``) {
  return sql`
    select ${senderColumns(sql)}, s.created_at, s.stopped_at,
      outbound.current_throttle(p) as throttle,
      wait.wait_reason, wait.wait_since, wait.wait_until ${more}
    from outbound.senders as s
    join outbound.sender_rate_state as p on p.company_id = s.company_id and p.sender_id = s.id
    cross join lateral outbound.sender_wait(s.company_id, s.id) as wait`;
}

/** A sender with what it has to do. */
export interface SenderDetails extends PacedSender {
  /** Notifications that have not left yet, those held or due later included. */
  waiting: number;
  /** Calls that are going on; 0 on WhatsApp. */
  ongoing_calls: number;
}

/** Returns one sender. Reads the company's open campaigns, and as many calls as the sender has lines. */
export async function readSender(
  sql: Sql,
  { companyId, senderId }: { companyId: string; senderId: string },
): Promise<SenderDetails | undefined> {
  const work = sql`,
    (
      select coalesce(sum(g.pending), 0)::int
      from unnest(outbound.open_campaigns(s.company_id, null, null)) as found(id)
      join outbound.campaigns as g on g.company_id = s.company_id and g.id = found.id and g.sender_id = s.id
    ) as waiting,
    case when s.channel = 'voice' then (
      select count(*)::int from outbound.ongoing_calls as k where k.sender_id = s.id
    ) else 0 end as ongoing_calls`;
  const [row] = await sql<SenderDetails[]>`
    ${pacedSenders(sql, work)} where s.company_id = ${companyId} and s.id = ${senderId}`;
  return row;
}

/**
 * Returns a company's WhatsApp business accounts. Any sender's token opens its whole account; this takes the token of a
 * sender that works where there is one.
 */
export async function readAccounts(sql: Sql, companyId: string): Promise<TemplateAccount[]> {
  return await sql<TemplateAccount[]>`
    select distinct on (waba_id) company_id, waba_id, id as sender_id,
      token_sealed
    from outbound.senders
    where company_id = ${companyId} and channel = 'whatsapp'
    order by waba_id, token_sealed is null, status = 'stopped', created_at, id`;
}

/**
 * Returns when a dispatcher will next probe the platform for a business account whose senders could not reach it: the
 * breaker of one of them is open. Undefined when none is, or while a probe runs.
 */
export async function readNextProbe(
  sql: Sql,
  { companyId, wabaId }: { companyId: string; wabaId: string },
): Promise<Date | undefined> {
  const [row] = await sql<{ at: Date | null }[]>`
    select min(p.blocked_until) as at from outbound.senders as s
    join outbound.sender_rate_state as p on p.company_id = s.company_id and p.sender_id = s.id
    where s.company_id = ${companyId} and s.waba_id = ${wabaId} and p.blocked_until > now()`;
  return row?.at ?? undefined;
}
