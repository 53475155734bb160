import type { WaitColumns } from "../campaigns/campaigns.ts";
import type { Sql } from "../driver/connect.ts";

/** A sender that sends nothing, or less than it should, or is about to. */
export interface SenderInTrouble {
  sender_id: string;
  number: string;
  channel: "whatsapp" | "voice";
  trouble: "stopped" | "unreachable" | "throttled" | "limit_reached" | "low_quality";
  code: string | null;
  /** Null where the trouble says it all. */
  reason: string | null;
}

/** The endpoint that receives a company's events. */
export interface OverviewWebhook {
  state: "working" | "failing" | "stopped";
  /** Deliveries that failed in a row. */
  failures: number;
  /** Why it was switched off; null where an operator did. */
  reason: string | null;
}

/** The expenses of a company in this month, as decimal numbers. */
export interface OverviewBudget {
  spent: string;
  warn: string | null;
  limit: string | null;
  currency: string;
  state: "within" | "warned" | "reached";
}

/** The state of a company at a glance. */
export interface Overview extends WaitColumns {
  campaigns: {
    sending: number;
    paused: number;
    scheduled: number;
    held_by_template: number;
    /** There are more open campaigns than were read. */
    more: boolean;
  };
  /** Notifications of these campaigns that have not left. */
  waiting: number;
  /** Those of campaigns of which nothing leaves; the reason is that of the first that will. */
  put_off: number;
  senders_in_trouble: SenderInTrouble[];
  ongoing_calls: number;
  /** How long the oldest notification that may leave has waited; null when none waits. */
  oldest_wait_s: number | null;
  /** Notifications accepted since midnight in UTC. */
  accepted_today: number;
  /** Of the month; null for a company without one. */
  budget: OverviewBudget | null;
  /** Null for a company without one. */
  webhook: OverviewWebhook | null;
}

const MAX_CAMPAIGNS = 1000;
const MAX_SENDERS = 100;
/** The rows of a day that a sender's limit is compared with: more of them are more messages than any limit. */
const MAX_HISTORY_ROWS = 10_000;
/** Of so many campaigns it finds out whether they wait, which takes more than to count them. */
const MAX_WAITS = 50;

/**
 * Returns what the first screen shows. Reads at most 1000 open campaigns and, per sender, the head of its queue and its
 * calls: nothing that grows with history or with what waits.
 */
export async function readOverview(sql: Sql, companyId: string): Promise<Overview> {
  const [row] = await sql<Overview[]>`
    with open as materialized (
      select g.campaign
      from unnest(outbound.open_campaigns(${companyId}, null, ${MAX_CAMPAIGNS + 1})) as found(id)
      cross join lateral (
        select w as campaign from outbound.campaigns as w
        where w.company_id = ${companyId} and w.id = found.id offset 0
      ) as g
    ),
    campaigns as (
      select jsonb_build_object(
          'sending', count(*) filter (where state.status = 'sending'),
          'paused', count(*) filter (where state.status = 'paused'),
          'scheduled', count(*) filter (where state.status = 'scheduled'),
          'held_by_template', count(*) filter (where state.paused_reason = 'template_not_approved'),
          'more', count(*) > ${MAX_CAMPAIGNS}
        ) as campaigns,
        coalesce(sum((open.campaign).pending), 0)::int as waiting
      from open cross join lateral outbound.campaign_state(open.campaign) as state
    )
    select campaigns.*, wait.*, coalesce(wait.put_off, 0) as put_off, troubled.*, calls.*, oldest.*, today.*, endpoint.*
    from campaigns
    left join (${firstWait(sql)}) as wait on true
    cross join (${sendersInTrouble(sql, companyId)}) as troubled
    cross join (
      select count(*)::int as ongoing_calls from outbound.senders as s
      join outbound.ongoing_calls as k on k.sender_id = s.id
      where s.company_id = ${companyId} and s.channel = 'voice'
    ) as calls
    cross join (${oldestWait(sql, companyId)}) as oldest
    cross join (
      select coalesce(sum(u.notifications), 0)::int as accepted_today
      from outbound.api_keys as k
      join outbound.usage as u on u.company_id = k.company_id and u.api_key_id = k.id
        and u.day = (now() at time zone 'UTC')::date
      where k.company_id = ${companyId}
    ) as today
    cross join (
      select (
        select jsonb_build_object(
          'state', case when not w.is_active then 'stopped' when w.failures > 0 then 'failing' else 'working' end,
          'failures', w.failures, 'reason', w.stopped_reason)
        from outbound.webhooks as w where w.company_id = ${companyId}
      ) as webhook, (
        select jsonb_build_object(
          'spent', trim_scale(b.spent)::text, 'warn', trim_scale(b.warn_amount)::text,
          'limit', trim_scale(b.limit_amount)::text, 'currency', b.currency,
          'state', case when b.reached_at is not null then 'reached' when b.warned_at is not null then 'warned'
            else 'within' end)
        from outbound.budgets as b where b.company_id = ${companyId}
      ) as budget
    ) as endpoint`;
  return row!;
}

/** Reads the newest of the campaigns that are being sent. */
function firstWait(sql: Sql) {
  return sql`
    select put_off.wait_reason, put_off.wait_since, put_off.wait_until,
      sum((sending.campaign).pending) over ()::int as put_off
    from (
      select open.campaign from open cross join lateral outbound.campaign_state(open.campaign) as state
      where state.status = 'sending' order by (open.campaign).id desc limit ${MAX_WAITS}
    ) as sending
    cross join lateral outbound.campaign_wait(sending.campaign) as put_off
    where put_off.wait_reason is not null order by put_off.wait_until limit 1`;
}

function sendersInTrouble(sql: Sql, companyId: string) {
  return sql`
    select coalesce(jsonb_agg(jsonb_build_object('sender_id', found.id, 'number', found.number, 'channel', found.channel,
      'trouble', found.trouble, 'code', found.code, 'reason', found.reason)), '[]') as senders_in_trouble
    from (
      select s.id, s.number, s.channel, judged.trouble, s.stopped_code as code,
        case judged.trouble when 'stopped' then s.stopped_reason
          when 'unreachable' then 'The platform cannot be reached' end as reason
      from outbound.senders as s
      join outbound.sender_rate_state as p on p.company_id = s.company_id and p.sender_id = s.id
      cross join lateral (
        select case when s.messaging_limit ~ '^TIER_[0-9]{1,6}K?$'
          then substring(s.messaging_limit from '[0-9]+')::int * case when s.messaging_limit ~ 'K$' then 1000 else 1 end
        end as people
      ) as allowed
      cross join lateral (
        select case when s.status = 'stopped' then 'stopped' when outbound.outage_since(p) is not null then 'unreachable'
          when outbound.current_throttle(p) < 1 then 'throttled'
          when allowed.people <= (
            select sum(day.sent) from (
              select h.sent from outbound.history as h
              where h.company_id = s.company_id and h.hour > now() - interval '1 day' and h.sender_id = s.id
              limit ${MAX_HISTORY_ROWS}
            ) as day
          ) then 'limit_reached'
          when s.quality = 'RED' then 'low_quality' end as trouble
      ) as judged
      where s.company_id = ${companyId} and judged.trouble is not null
      order by s.created_at desc, s.id desc limit ${MAX_SENDERS}
    ) as found`;
}

/** Reads the first entry of each sender's queue, by priority, from where claims begin to read. */
function oldestWait(sql: Sql, companyId: string) {
  return sql`
    select extract(epoch from now() - min(head.run_at))::int as oldest_wait_s
    from outbound.sender_schedule as t
    cross join generate_series(0, 2) as level(priority)
    cross join lateral (
      select n.run_at from outbound.queue as n
      where n.sender_id = t.sender_id and n.priority = level.priority and n.status = 'queued'
        and n.run_at >= t.queue_cursor[level.priority + 1] and n.run_at <= now()
      order by n.sender_id, n.priority, n.run_at, n.id limit 1
    ) as head
    where t.company_id = ${companyId}`;
}
