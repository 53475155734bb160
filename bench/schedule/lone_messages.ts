import type postgres from "postgres";
import type { UpstreamFigures } from "../setup/upstream.ts";
import { addTenant, type Tenant } from "../setup/tenants.ts";

/** Messages one at a time, each due at a moment of its own. */
export interface LoneMessages {
  count: number;
  /** When the first is due, in milliseconds since 1970. */
  startMs: number;
  /** No divisor of any polling interval, so that they fall anywhere in it. */
  everyMs: number;
}

/** The upstream times what goes to these. */
export const FIRST_NUMBER = 99_900_000_000;
const COMPANIES = 20;

/** Companies of their own to send lone messages. */
export async function addOthers(sql: postgres.Sql): Promise<Tenant[]> {
  return await Promise.all(Array.from({ length: COMPANIES }, () => addTenant(sql)));
}

/** Schedules lone messages of other companies in turn, as accepting them would have. */
export async function scheduleLone(
  sql: postgres.Sql,
  others: Tenant[],
  { count, startMs, everyMs }: LoneMessages,
): Promise<void> {
  await sql`
    with lone as materialized (
      select t.company_id, t.key_id, t.sender_id, t.template_id, gen_random_uuid() as campaign_id, n,
        to_timestamp(${startMs / 1000}::float8) + make_interval(secs => n * ${everyMs / 1000}::float8) as due
      from generate_series(0, ${count - 1}::int) as n
      join unnest(${others.map(({ company }) => company.id)}::uuid[], ${
    others.map(({ key }) => key.id)
  }::uuid[],
        ${others.map(({ sender }) => sender.id)}::uuid[], ${
    others.map(({ template }) => template.id)
  }::uuid[])
        with ordinality as t(company_id, key_id, sender_id, template_id, ord)
        on t.ord = 1 + n % ${others.length}::int
    ),
    campaign as (
      insert into outbound.campaigns (company_id, id, api_key_id, channel, name, notification_type, sender_id,
        template_id, template_name, template_language, template_shape, scheduled_time, total, pending)
      select l.company_id, l.campaign_id, l.key_id, 'whatsapp', 'Lone', 'utility', l.sender_id, t.id, t.name, t.language,
        t.shape, l.due, 1, 1
      from lone as l join outbound.templates as t on t.id = l.template_id
    )
    insert into outbound.notification_facts (company_id, id, campaign_id, sender_id, number, message)
    select l.company_id, gen_random_uuid(), l.campaign_id, l.sender_id, (${FIRST_NUMBER}::bigint + n)::text, '[]'
    from lone as l`;
  await sql`
    insert into outbound.queue (company_id, id, campaign_id, sender_id, priority, is_scheduled, run_at, expires_at)
    select f.company_id, f.id, f.campaign_id, f.sender_id, 1, true, g.scheduled_time, g.scheduled_time + interval '1 day'
    from outbound.campaigns as g
    join outbound.notification_facts as f on f.company_id = g.company_id and f.campaign_id = g.id
    where g.name = 'Lone' and f.status is null
    on conflict do nothing`;
  await sql`select outbound.repair_sender_schedule()`;
}

/**
 * How late each came that was due by `untilMs`, in milliseconds. One that has not come yet is as late as it is now.
 */
export function latenessOf(
  { count, startMs, everyMs }: LoneMessages,
  { arrivals }: UpstreamFigures,
  untilMs = Infinity,
): number[] {
  return Array.from({ length: count }, (_, n) => ({ n, due: startMs + n * everyMs }))
    .filter(({ due }) => due <= untilMs)
    .map(({ n, due }) => (arrivals[`+${FIRST_NUMBER + n}`] ?? Date.now()) - due);
}
