import type { Sql } from "./connect.ts";
import type { TemplateAccount } from "./templates.ts";

/** A sender to be stored. */
export interface NewSender {
  companyId: string;
  senderId: string;
  channel: "whatsapp" | "voice";
  /** International format, 7 to 15 digits, no leading 0. */
  number: string;
  /** The platform's id of the number: `phone_number_id` on WhatsApp, `agent_phone_number_id` for calls. */
  providerId: string;
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
export async function insertSender(sql: Sql, sender: NewSender): Promise<void> {
  const { companyId, senderId, channel, number, providerId, wabaId, tokenSealed } = sender;
  await sql`
      insert into outbound.senders
        (company_id, id, channel, number, provider_id, waba_id, token_sealed, rate_per_second, concurrency,
          marketing_endpoint)
      values (${companyId}, ${senderId}, ${channel}, ${number}, ${providerId}, ${wabaId}, ${tokenSealed},
        ${sender.ratePerSecond}, ${sender.concurrency}, ${sender.marketingEndpoint})`;
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

/** Changes a sender's settings. Returns its status; undefined when there is no such sender. */
export async function updateSenderSettings(
  sql: Sql,
  { companyId, senderId, tokenSealed, ratePerSecond, concurrency, marketingEndpoint, resume }: SenderSettings,
): Promise<{ status: string } | undefined> {
  const [row] = await sql<{ status: string }[]>`
    update outbound.senders
    set token_sealed = coalesce(${tokenSealed}, token_sealed),
      rate_per_second = coalesce(${ratePerSecond}, rate_per_second),
      concurrency = coalesce(${concurrency}, concurrency),
      marketing_endpoint = coalesce(${marketingEndpoint}, marketing_endpoint),
      status = case when ${resume} then 'active' else status end,
      stopped_reason = case when ${resume} then null else stopped_reason end,
      stopped_at = case when ${resume} then null else stopped_at end,
      stopped_for_good = stopped_for_good and not ${resume},
      stopped_by_account = stopped_by_account and not ${resume},
      stopped_until = case when not ${resume} then stopped_until end,
      account_status_at = case when ${resume} then now() else account_status_at end
    where company_id = ${companyId} and id = ${senderId}
    returning status`;
  return row;
}

/** A sender as operators see it; never its token. */
export interface SenderRow {
  senderId: string;
  companyId: string;
  channel: string;
  number: string;
  providerId: string;
  wabaId: string | null;
  hasToken: boolean;
  /** Messages per second. */
  ratePerSecond: number;
  /** Voice: calls at a time. */
  concurrency: number;
  /** WhatsApp: where templates of category MARKETING go. */
  marketingEndpoint: MarketingEndpoint;
  status: string;
  stoppedReason: string | null;
  /** The platform has locked the account: requests for this sender are refused. */
  stoppedForGood: boolean;
  /** When the platform's restriction ends, if it said so. */
  stoppedUntil: Date | null;
  /** How many people per day the business may write to first, in the platform's words: TIER_250, TIER_2K … */
  messagingLimit: string | null;
  /** RED, or UNKNOWN when it is no longer that; null until the platform has reported it. */
  quality: string | null;
  /** The platform's last warning about the account, and when it came. */
  platformNotice: string | null;
  platformNoticeAt: Date | null;
}

/** Returns the senders of one company, or of all, or the one with this id. */
export async function readSenders(
  sql: Sql,
  { companyId, senderId }: { companyId?: string | undefined; senderId?: string },
): Promise<SenderRow[]> {
  return await sql<SenderRow[]>`
    select id as "senderId", company_id as "companyId", channel, number, provider_id as "providerId",
      waba_id as "wabaId", token_sealed is not null as "hasToken", rate_per_second as "ratePerSecond",
      concurrency, marketing_endpoint as "marketingEndpoint", status, stopped_reason as "stoppedReason",
      stopped_for_good as "stoppedForGood", stopped_until as "stoppedUntil",
      messaging_limit as "messagingLimit", quality, platform_notice as "platformNotice",
      nullif(platform_notice_at, '-infinity') as "platformNoticeAt"
    from outbound.senders
    where true ${companyId ? sql`and company_id = ${companyId}` : sql``}
      ${senderId ? sql`and id = ${senderId}` : sql``}
    order by company_id, created_at, id`;
}

/**
 * Returns a company's WhatsApp business accounts. Any sender's token opens its whole account; this takes the token of a
 * sender that works where there is one.
 */
export async function readAccounts(sql: Sql, companyId: string): Promise<TemplateAccount[]> {
  return await sql<TemplateAccount[]>`
    select distinct on (waba_id) company_id as "companyId", waba_id as "wabaId", id as "senderId",
      token_sealed as "tokenSealed"
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
