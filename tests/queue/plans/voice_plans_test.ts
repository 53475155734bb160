import assert from "node:assert/strict";
import type postgres from "postgres";
import { failEndlessCalls, takeCallsToCheck } from "../../../supabase/functions/_shared/db/calls/calls.ts";
import { withMeasuredDatabase } from "../../setup/database/postgres_database.ts";
import {
  calledNumber,
  callEventOf,
  type CallingCompany,
  enqueueCalls,
  insertCallingCompany,
} from "../../setup/fixtures/calling_company.ts";
import { claim, finish } from "../../setup/fixtures/queue.ts";
import { faultsOf, plansOf } from "./read_plans.ts";

const HISTORY = 40_000;
const LARGE = ["notification_facts", "calls", "platform_events", "delivery_attempts"];
const LINES = 100;
const MAX_ROWS = 10 * LINES;

/** Calls of the past, all over. */
async function fillCalls(sql: postgres.ISql, company: CallingCompany, campaignId: string): Promise<void> {
  await sql`
    insert into outbound.notification_facts (company_id, id, campaign_id, sender_id, voice, number, message, status,
      attempt, fence, claimed_at, platform_message_id, sent_at, delivered_at)
    select ${company.id}, gen_random_uuid(), ${campaignId}, ${company.sender.id}, true, '346' || n, '{}', 'delivered',
      1, 1, at, 'conv_' || n, at, at
    from generate_series(1, ${HISTORY}) as n, lateral (select now() - interval '1 second' * n as at) as t`;
  await sql`
    insert into outbound.calls (company_id, notification_id, conversation_id, outcome, started_at, ended_at)
    select n.company_id, n.id, n.platform_message_id, 'answered', n.sent_at, n.delivered_at
    from outbound.notifications as n where n.status = 'delivered'`;
  await sql`
    insert into outbound.platform_events (dedupe_key, channel, platform_message_id, company_id, notification_id, status,
      occurred_at, applied_at)
    select 'voice:' || n.platform_message_id || ':post_call_transcription', 'voice', n.platform_message_id, n.company_id,
      n.id, 'delivered', now(), now()
    from outbound.notifications as n where n.status = 'delivered'`;
}

for (const analyzed of [true, false]) {
  Deno.test(`no call of the queue reads all calls ever made, ${analyzed ? "with" : "without"} statistics`, () =>
    withMeasuredDatabase(async ({ sql, url }) => {
      const company = await insertCallingCompany(sql, { concurrency: LINES });
      const { campaignId } = await enqueueCalls(sql, company, { count: 8000 });
      // Without the foreign keys' checks of every row.
      await sql.begin(async (one) => {
        await one`set local session_replication_role = replica`;
        await fillCalls(one, company, campaignId);
      });
      if (analyzed) await sql`analyze`;
      const claimed = await claim(sql, { limit: LINES / 2 });
      const numbers = Array.from({ length: LINES }, (_, index) => calledNumber(index));
      await enqueueCalls(sql, company, { numbers: [...numbers, ...numbers] });
      const calls: Record<string, (one: postgres.Sql) => Promise<unknown>> = {
        claim: async (one) => assert.equal((await claim(one, { limit: LINES })).length, LINES / 2),
        next_due: (one) => one`select outbound.next_due()`,
        open_chores: (one) => one`select outbound.open_chores()`,
        finish: (one) => finish(one, claimed, { outcome: "sent" }),
        store: (one) =>
          one`select outbound.store_platform_events(${
            one.json(
              claimed.slice(10).map(({ id }, index) =>
                callEventOf(
                  company.id,
                  id,
                  "answered",
                  index % 2 === 0 ? {} : { company_id: null, notification_id: null },
                )
              ) as never,
            )
          })`,
        apply: (one) => one`select outbound.apply_platform_events()`,
        take: (one) => takeCallsToCheck(one, { limit: LINES, afterS: 0 }),
        fail_endless: (one) => failEndlessCalls(one, { limit: LINES, afterS: 0 }),
      };

      const faults: Record<string, string[]> = {};
      for (const [name, call] of Object.entries(calls)) {
        const plans = await plansOf(url, async (one) => void await call(one));
        assert.ok(plans.length > 0, name);
        faults[name] = faultsOf(plans, MAX_ROWS, LARGE);
      }

      assert.deepEqual(faults, Object.fromEntries(Object.keys(calls).map((name) => [name, []])));
    }));
}
