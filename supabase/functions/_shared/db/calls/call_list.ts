import type { CallOutcome } from "./calls.ts";
import type { Sql } from "../driver/connect.ts";
import type { NotificationStatus } from "../campaigns/recipients.ts";

/** A call that was made, or is going on. */
export interface CallRow {
  /** Of its notification. */
  notification_id: string;
  campaign_id: string;
  campaign_name: string;
  agent: { agent_id: string; name: string } | null;
  sender_number: string;
  /** Null for an erased person. */
  number: string | null;
  status: NotificationStatus;
  ongoing: boolean;
  outcome: CallOutcome | null;
  duration_s: number | null;
  attempts: number;
  code: string | null;
  reason: string | null;
  conversation_id: string | null;
  /** Of its last attempt. */
  started_at: Date;
  ended_at: Date | null;
}

export interface CallPageQuery {
  companyId: string;
  campaignId?: string | undefined;
  number?: string | undefined;
  outcome?: CallOutcome | undefined;
  /** Only calls that are going on. */
  ongoing?: boolean | undefined;
  /** The last call of the page before. */
  after?: string | undefined;
  limit: number;
}

/** Returns a page of a company's calls, newest first: ids are in the order of acceptance. */
export async function readCallPage(sql: Sql, query: CallPageQuery): Promise<CallRow[]> {
  const { companyId } = query;
  return await sql<CallRow[]>`
    with found as materialized (${foundCalls(sql, query)})
    select ${callColumns(sql)} from found
    cross join lateral (
      select * from outbound.calls as o where o.company_id = ${companyId} and o.notification_id = found.id limit 1
    ) as k
    ${namedParts(sql)}
    order by k.notification_id desc`;
}

/** Reads the narrowest index that fits: the calls going on, those to a number, a campaign's, or all by their outcome. */
function foundCalls(sql: Sql, query: CallPageQuery) {
  const { companyId, campaignId, number, outcome, ongoing, after, limit } = query;
  const byOutcome = outcome ? sql`and k.outcome = ${outcome}` : sql``;
  if (!ongoing && !number && !campaignId && !outcome) {
    return sql`select id from outbound.list_calls(${companyId}, ${after ?? null}, ${limit}) as id`;
  }
  if (!ongoing && !number && !campaignId) {
    return sql`
      select k.notification_id as id from outbound.calls as k
      where k.company_id = ${companyId} ${byOutcome} ${after ? sql`and k.notification_id < ${after}` : sql``}
      order by k.company_id desc, k.outcome desc, k.notification_id desc limit ${limit}`;
  }
  return sql`
    select n.id ${notificationsOf(sql, query)}
      ${after ? sql`and n.id < ${after}` : sql``}
      ${campaignId ? sql`and n.campaign_id = ${campaignId}` : sql``}
      and exists (
        select from outbound.calls as k
        where k.company_id = ${companyId} and k.notification_id = n.id ${byOutcome} offset 0
      )
    order by n.id desc limit ${limit}`;
}

function notificationsOf(sql: Sql, { companyId, number, ongoing }: CallPageQuery) {
  const addresses = sql`unnest(outbound.addresses_of(${companyId}, ${number ?? null}, null))`;
  if (ongoing) {
    return sql`
      from outbound.senders as s
      cross join lateral (
        select o.id, o.campaign_id, f.number from outbound.ongoing_calls as o
        join outbound.notification_facts as f on f.company_id = o.company_id and f.id = o.id
        where o.sender_id = s.id offset 0
      ) as n
      where s.company_id = ${companyId} and s.channel = 'voice'
        ${number ? sql`and n.number in (select ${addresses})` : sql``}`;
  }
  if (number) {
    return sql`
      from ${addresses} as address
      cross join lateral (
        select o.id, o.campaign_id from outbound.notification_facts as o
        where o.company_id = ${companyId} and o.number = address and case when o.voice then true end offset 0
      ) as n
      where true`;
  }
  return sql`from outbound.notification_facts as n where n.company_id = ${companyId} and n.voice`;
}

/** A call with what was said. */
export interface CallDetails extends CallRow {
  summary: string | null;
  /** Null until the platform has sent it, and after it was erased. */
  transcript: { role: string; message: string; at_s: number }[] | null;
}

/** Returns one call with what was said. */
export async function readCall(
  sql: Sql,
  { companyId, callId }: { companyId: string; callId: string },
): Promise<CallDetails | undefined> {
  const [row] = await sql<CallDetails[]>`
    select ${callColumns(sql)}, k.summary, k.transcript
    from outbound.calls as k ${namedParts(sql)}
    where k.company_id = ${companyId} and k.notification_id = ${callId}`;
  return row;
}

function callColumns(sql: Sql) {
  return sql`
    k.notification_id, n.campaign_id, g.name as campaign_name, case when a.id is not null then jsonb_build_object('agent_id', a.id, 'name', a.name) end as agent,
    s.number as sender_number, n.number, n.status,
    n.status in ('sending', 'unconfirmed', 'sent') as ongoing,
    k.outcome, k.duration_s, n.attempt as attempts, n.error_code as code, n.error_reason as reason,
    k.conversation_id, k.started_at, k.ended_at`;
}

function namedParts(sql: Sql) {
  return sql`
    cross join lateral (
      select * from outbound.notifications as o where o.company_id = k.company_id and o.id = k.notification_id limit 1
    ) as n
    join outbound.campaigns as g on g.company_id = n.company_id and g.id = n.campaign_id
    join outbound.senders as s on s.company_id = n.company_id and s.id = n.sender_id
    left join outbound.voice_agents as a on a.company_id = g.company_id and a.id = g.agent_id`;
}
