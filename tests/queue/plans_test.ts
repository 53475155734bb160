import assert from "node:assert/strict";
import type postgres from "postgres";
import { withPostgresDatabase } from "../setup/postgres_database.ts";
import { faultsOf, plansOf } from "./read_plans.ts";
import { claim, eventOf, finish, insertSendingCompany, type SendingCompany } from "./queue.ts";

const FINISHED = 200_000;
const WAITING = 20_000;
const CAMPAIGNS = 20;
const AT_ONCE = 500;
/** No call may look at more rows than these, however much is stored. */
const MOST_ROWS = 7 * AT_ONCE;

/** A long history and a long queue, of two companies, made in the database. */
async function fillQueue(sql: postgres.Sql, companies: SendingCompany[]): Promise<void> {
  for (const company of companies) {
    const { id, key, sender, template } = company;
    await sql`
      insert into outbound.campaigns (company_id, id, api_key_id, channel, name, notification_type, sender_id,
        template_id, template_name, template_language, total, pending, sent, completed_at)
      select ${id}, gen_random_uuid(), ${key.id}, 'whatsapp', 'C', 'utility', ${sender.id}, ${template.id}, 'hello',
        'en', n.finished + n.waiting, n.waiting, n.finished, case when n.waiting = 0 then now() end
      from generate_series(1, ${CAMPAIGNS}) as c(number)
      cross join lateral (select ${FINISHED / 2 / CAMPAIGNS}::int as finished, ${
      WAITING / 2 / CAMPAIGNS
    }::int as waiting) as n`;
    await sql`
      insert into outbound.notifications (company_id, id, campaign_id, sender_id, priority, number, message, status,
        run_at, expires_at, attempt, fence, provider_message_id, sent_at)
      select ${id}, gen_random_uuid(), g.id, ${sender.id}, 1, '34600111222', '[]', 'sent', at, at + interval '1 day',
        1, 1, 'wamid.' || gen_random_uuid(), at
      from outbound.campaigns as g, generate_series(1, g.sent) as n,
        lateral (select now() - interval '1 second' * n as at) as t
      where g.company_id = ${id}`;
    await sql`
      insert into outbound.notifications (company_id, id, campaign_id, sender_id, priority, number, message, status,
        run_at, expires_at)
      select ${id}, gen_random_uuid(), g.id, ${sender.id}, n % 3, '34600111222', '[]',
        case n % 2 when 0 then 'queued' else 'scheduled' end, at, at + interval '1 day'
      from outbound.campaigns as g, generate_series(1, g.pending) as n,
        lateral (select now() + interval '1 second' * (n - 250) as at) as t
      where g.company_id = ${id}`;
  }
}

/** Events of the past, all applied. */
async function fillEvents(sql: postgres.Sql): Promise<void> {
  await sql`
    insert into outbound.provider_events (dedupe_key, channel, provider_message_id, company_id, notification_id, status,
      occurred_at, applied_at)
    select 'whatsapp:' || n.provider_message_id || ':read', 'whatsapp', n.provider_message_id, n.company_id, n.id,
      'read', now(), now()
    from outbound.notifications as n where n.status = 'sent' limit 100000`;
}

async function eventsFor(sql: postgres.Sql, count: number) {
  const sent = await sql<{ company_id: string; id: string; provider_message_id: string }[]>`
    select company_id, id, provider_message_id from outbound.notifications where status = 'sent' limit ${count}`;
  return sent.map(({ company_id, id, provider_message_id }, index) =>
    eventOf(company_id, id, index % 2 === 0 ? "delivered" : "sent", {
      provider_message_id,
      ...(index % 3 === 0 && { company_id: null, notification_id: null }),
    })
  );
}

for (const analyzed of [true, false]) {
  Deno.test(`no call reads or sorts the whole queue, ${analyzed ? "with" : "without"} statistics`, () =>
    withPostgresDatabase(async ({ sql, url }) => {
      const companies = [await insertSendingCompany(sql), await insertSendingCompany(sql)];
      await sql`alter table outbound.notifications set (autovacuum_enabled = false)`;
      await sql`alter table outbound.provider_events set (autovacuum_enabled = false)`;
      await fillQueue(sql, companies);
      await fillEvents(sql);
      if (analyzed) await sql`analyze`;
      const events = await eventsFor(sql, AT_ONCE);
      const { campaign_id, id } = (await sql`
        select g.id as campaign_id, g.company_id as id from outbound.campaigns as g limit 1`)[0]!;
      const calls: Record<string, (sql: postgres.Sql) => Promise<unknown>> = {
        claim: async (one) => {
          const claimed = await claim(one, { limit: AT_ONCE });
          assert.equal(claimed.length, AT_ONCE);
        },
        renew: async (one) => {
          const held = await sql`select company_id, id from outbound.notifications where status = 'sending'`;
          await one`select outbound.renew_leases('worker', '60 s', ${held.map((row) => row.company_id)},
            ${held.map((row) => row.id)})`;
        },
        finish: async (one) => {
          await sql`update outbound.sender_pace set refilled_at = refilled_at - interval '1 second'`;
          const claimed = await claim(sql, { limit: AT_ONCE });
          await finish(one, claimed, { outcome: "sent" });
        },
        tick: (one) => one`select outbound.tick(${AT_ONCE})`,
        next_due: (one) => one`select outbound.next_due()`,
        store: (one) => one`select outbound.store_provider_events(${one.json(events as never)})`,
        apply: (one) => one`select outbound.apply_provider_events(${AT_ONCE})`,
        cancel: (one) => one`select outbound.cancel_campaign(${id}, ${campaign_id})`,
      };

      const faults: Record<string, string[]> = {};
      for (const [name, call] of Object.entries(calls)) {
        const plans = await plansOf(url, async (one) => void await call(one));
        assert.ok(plans.length > 0, name);
        faults[name] = faultsOf(plans, MOST_ROWS);
      }

      const none = Object.fromEntries(Object.keys(calls).map((name) => [name, []]));
      // A campaign's own rows are found by its index; they are as many as it has.
      assert.deepEqual({ ...faults, cancel: faults.cancel?.filter((fault) => /Seq Scan/.test(fault)) }, none);
    }));
}
