import assert from "node:assert/strict";
import type postgres from "postgres";
import { withMeasuredDatabase } from "../../setup/database/postgres_database.ts";
import { enqueue, insertSendingCompany, planTurns, type SendingCompany } from "../../setup/fixtures/queue.ts";
import { faultsOf, plansOf, rowsReadOf } from "./read_plans.ts";

const MAX = 500;
const MAX_SENDERS = 50;

/** Rows of each kind: many times what may be read. */
const ROWS = 5000;

const TABLES = [
  "notification_facts",
  "queue",
  "senders",
  "sender_schedule",
  "campaigns",
  "platform_events",
  "template_events",
  "account_events",
  "webhook_deliveries",
  "outgoing_events",
  "calls",
  "delivery_attempts",
];

/** States in which a notification may wait, and one in which it is history. */
const STATES = [
  { status: "queued", run_at: "now() - interval '1 hour'" },
  { status: "queued", run_at: "now() + interval '1 hour'", scheduled: true },
  { status: "queued", run_at: "'infinity'", held: true },
  { status: "unconfirmed", run_at: "now()", lease: "now() + interval '1 hour'" },
  { status: "sending", run_at: "now()", lease: "now() + interval '1 hour'", worker: "'w'" },
  { status: "delivered", run_at: "now()", sent: true },
];

async function fillNotifications(sql: postgres.Sql, company: SendingCompany): Promise<void> {
  const { campaignId } = await enqueue(sql, company);
  for (const { status, run_at, scheduled, held, lease = "null", worker = "null", sent } of STATES) {
    await sql.unsafe(
      `with fact as (
        insert into outbound.notification_facts (company_id, id, campaign_id, sender_id, number, message, status, sent_at,
          delivered_at)
        select $1, gen_random_uuid(), $2, $3, '5917' || n, '[]', ${
        sent ? `'${status}', now(), now()` : "null, null, null"
      }
        from generate_series(1, ${ROWS}) as n
        returning *
      )
      insert into outbound.queue (company_id, id, campaign_id, sender_id, priority, status, is_scheduled, run_at, held_run_at,
        expires_at, lease_until, worker)
      select company_id, id, campaign_id, sender_id, row_number() over () % 3, '${status}', ${
        scheduled ?? false
      }, ${run_at},
        ${held ? "now()" : "null"}, now() + interval '1 day', ${lease}, ${worker}
      from fact where status is null`,
      [company.id, campaignId, company.sender.id],
    );
  }
}

/** Senders and their turns, of which every second is stopped, campaigns that wait, and ones that are over. */
async function fillSenders(sql: postgres.Sql, company: SendingCompany): Promise<void> {
  await sql`insert into outbound.senders (company_id, channel, number, platform_id, waba_id, status, stopped_reason,
      stopped_at, quality, platform_notice, platform_notice_at)
    select ${company.id}, 'whatsapp', (59170000000 + n)::text, 'p' || n, 'w', case when n % 2 = 0 then 'stopped' else 'active' end,
      case when n % 2 = 0 then 'x' end, case when n % 2 = 0 then now() end,
      case when n % 2 = 0 then 'RED' end, 'x', now() from generate_series(1, ${ROWS}) as n`;
  await sql`insert into outbound.campaigns (company_id, id, api_key_id, channel, name, notification_type, sender_id,
      total, pending, sent, completed_at, held_reason)
    select ${company.id}, gen_random_uuid(), k.id, 'whatsapp', 'c', 'utility', ${company.sender.id}, 1,
      (n % 2 = 0)::int, (n % 2 = 1)::int, case when n % 2 = 1 then now() end, 'x'
    from generate_series(1, ${ROWS}) as n cross join outbound.api_keys as k where k.company_id = ${company.id}`;
}

async function fillEvents(sql: postgres.Sql, company: SendingCompany): Promise<void> {
  await sql`insert into outbound.platform_events (dedupe_key, channel, status, occurred_at, applied_at)
    select 'e' || n, 'whatsapp', 'sent', now(), case when n % 2 = 0 then now() end
    from generate_series(1, ${2 * ROWS}) as n`;
  await sql`insert into outbound.delivery_attempts (company_id, notification_id, attempt, fence, worker, started_at, outcome)
    select ${company.id}, gen_random_uuid(), 1, 1, case when n % 2 = 0 then 'lost' else 'w' end, now(), 'unknown'
    from generate_series(1, ${2 * ROWS}) as n`;
  await sql`with event as (
      insert into outbound.outgoing_events (company_id, type, payload)
      select ${company.id}, 'notification.sent', '{}' from generate_series(1, ${
    2 * ROWS
  }) returning company_id, id
    )
    insert into outbound.webhook_deliveries (company_id, event_id, status, finished_at)
    select company_id, id, case when id < 'evt_8' then 'pending' else 'succeeded' end,
      case when id < 'evt_8' then null else now() end from event`;
}

Deno.test("operating_figures() reads by indexes, and no more than its limits, however much waits or is history", () =>
  withMeasuredDatabase(async ({ sql, url }) => {
    const company = await insertSendingCompany(sql);
    await fillNotifications(sql, company);
    await fillSenders(sql, company);
    await fillEvents(sql, company);
    await planTurns(sql);

    for (const statistics of [false, true]) {
      if (statistics) await sql`vacuum analyze`;
      let figures: Record<string, unknown> = {};
      const plans = await plansOf(url, async (one) => {
        const [row] = await one`select outbound.operating_figures(${MAX}, ${MAX_SENDERS}) as figures`;
        figures = row!.figures;
      });

      const counts = ["due", "scheduled", "held", "events_unapplied", "deliveries_pending", "campaigns_held"];
      assert.deepEqual(counts.map((name) => figures[name]), counts.map(() => MAX));
      assert.equal(figures.leases_lost, MAX);
      // Twice, because one node counts both active and stopped senders.
      assert.deepEqual(faultsOf(plans, 2 * MAX, TABLES), [], `statistics: ${statistics}`);
      // Due, scheduled and held ones, those with a lease, calls; and a head per sender and priority.
      const { notifications = 0 } = rowsReadOf(plans);
      assert.ok(notifications <= 5 * MAX + 3 * MAX_SENDERS, `${notifications} notifications`);
    }
  }));
