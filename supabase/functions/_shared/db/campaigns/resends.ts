import type { AcceptRequest } from "../queue/accept_notifications.ts";
import type { Actor } from "../access/audit.ts";
import type { CampaignIds } from "./campaign_control.ts";
import { jsonParameter, type Sql } from "../driver/connect.ts";
import { uuidv7 } from "../../values/uuid.ts";

/** A campaign that is to be resent, with the present state of what it uses. */
export interface ResendSource {
  channel: AcceptRequest["campaign"]["channel"];
  sender_id: string;
  /** The sender was deleted. */
  sender_gone: boolean;
  /** Why the platform has locked the sender's account; null when it has not. */
  sender_locked: string | null;
  template_name: string | null;
  template_language: string | null;
  /** Null where the campaign has no template, and when it was deleted. */
  template_status: string | null;
  template_changed: boolean | null;
  agent_id: string | null;
  agent_status: "active" | "disabled" | null;
}

export async function readResendSource(
  sql: Sql,
  { companyId, campaignId }: CampaignIds,
): Promise<ResendSource | undefined> {
  const [row] = await sql<ResendSource[]>`
    select g.channel, g.sender_id, s.id is null as sender_gone,
      case when s.locked then s.stopped_reason end as sender_locked, g.template_name,
      g.template_language, t.status as template_status,
      t.shape <> g.template_shape as template_changed, g.agent_id, a.status as agent_status
    from outbound.campaigns as g
    left join outbound.senders as s on s.company_id = g.company_id and s.id = g.sender_id
    left join outbound.templates as t on t.company_id = g.company_id and t.id = g.template_id
    left join outbound.voice_agents as a on a.company_id = g.company_id and a.id = g.agent_id
    where g.company_id = ${companyId} and g.id = ${campaignId}`;
  return row;
}

/** Returns the counts of an earlier resend with the same idempotency key, and the fingerprint of its request. */
export async function readFirstResend(
  sql: Sql,
  { companyId, endpoint, key }: { companyId: string; endpoint: string; key: string },
): Promise<{ request_hash: string; answer: ResendCounts } | undefined> {
  const [row] = await sql<{ request_hash: string; answer: ResendCounts }[]>`
    select i.request_hash, i.answer from outbound.idempotency_keys as i
    where i.company_id = ${companyId} and i.endpoint = ${endpoint} and i.key = ${key}
      and i.created_at > now() - interval '24 hours'`;
  return row;
}

/** A resend to be stored. Field names are those of `outbound.begin_resend`. */
export interface NewResend extends CampaignIds {
  /** The id of the new campaign. */
  id: string;
  codes: readonly string[];
  /** Null for the name of the old one. */
  name: string | null;
  due: Date | null;
  timezone: string | null;
  apiKeyId: string;
  idempotency: { endpoint: string; key: string; request_hash: string } | null;
  /** The span of the request, as `traceparent`; without one, the sends are linked to the first campaign's. */
  trace?: string | null;
}

/** The counts of a resend, as they are kept for a repeated request. */
export interface ResendCounts {
  /** The new campaign; null when there is none. */
  campaign_id: string | null;
  total: number;
  processed: number;
  refused: Record<string, number>;
  scheduled_time: string | null;
}

export interface BegunResend {
  outcome:
    | "accepted"
    | "replayed"
    | "key_reused"
    | "nothing"
    | "running"
    | "unauthorized"
    | "quota_exceeded"
    | "stale";
  result: ResendCounts | null;
  quota: number | null;
  quota_used: number | null;
}

/** Stores the campaign of a resend, or returns why not. */
export async function beginResend(sql: Sql, resend: NewResend, by: Actor): Promise<BegunResend> {
  const {
    companyId,
    campaignId,
    id,
    codes,
    name,
    due,
    timezone,
    apiKeyId,
    idempotency,
    trace = null,
  } = resend;
  const [row] = await sql<BegunResend[]>`
    select begun.*, case when begun.outcome = 'accepted' then outbound.write_audit(
      ${companyId}, ${by.actor}, 'campaign.resent', ${campaignId}, null,
      jsonb_build_object('campaign_id', ${id}::text, 'processed', begun.result -> 'processed'),
      ${by.requestId ?? null}) end
    from outbound.begin_resend(
      ${companyId}, ${campaignId}, ${id}, ${[...codes]}::text[], ${name}, ${due?.toISOString() ?? null},
      ${timezone}, ${apiKeyId}, false, ${idempotency && jsonParameter(sql, idempotency)}, ${trace}) as begun`;
  return row!;
}

/** Notifications per step: they are locked for some ten milliseconds. */
const STEP = 1000;

/** Makes the notifications of a resend's campaign, step by step. */
export async function finishResend(
  sql: Sql,
  { companyId, campaignId }: CampaignIds,
  { ttlS }: { ttlS: number },
): Promise<void> {
  while (true) {
    const ids = Array.from({ length: STEP }, uuidv7);
    const [row] = await sql<{ done: boolean }[]>`
      select outbound.continue_resend(${companyId}, ${campaignId}, ${ids}::uuid[], ${ttlS}) as done`;
    if (row!.done) return;
  }
}

/** Continues resends whose process died half-way. */
export async function continueResends(sql: Sql, options: { ttlS: number }): Promise<void> {
  while (true) {
    const [abandoned] = await sql<{ company_id: string; campaign_id: string }[]>`
      update outbound.resends as r set stepped_at = now()
      from (
        select company_id, campaign_id from outbound.resends where stepped_at < now() - interval '10 seconds'
        order by stepped_at limit 1 for no key update skip locked
      ) as old
      where r.company_id = old.company_id and r.campaign_id = old.campaign_id
      returning r.company_id, r.campaign_id`;
    if (abandoned === undefined) return;
    const { company_id: companyId, campaign_id: campaignId } = abandoned;
    await finishResend(sql, { companyId, campaignId }, options);
  }
}
