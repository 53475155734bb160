import assert from "node:assert/strict";
import type postgres from "postgres";
import { CLI } from "../../../supabase/functions/_shared/db/access/audit.ts";
import {
  continueStopping,
  moveCampaign,
} from "../../../supabase/functions/_shared/db/campaigns/campaign_control.ts";
import { continueResends } from "../../../supabase/functions/_shared/db/campaigns/resends.ts";
import { withMeasuredDatabase } from "../../setup/database/postgres_database.ts";
import { fillEvents, fillQueue, fillRequests } from "./fill_history.ts";
import { skipped } from "../../setup/skipped.ts";
import { insertWebhook } from "../../setup/fixtures/webhooks.ts";
import { insertWidget } from "../../setup/fixtures/widgets.ts";
import { recipientCalls, requestCalls } from "./request_calls.ts";
import { comparingJoins, compiledOf, faultsOf, pagesReadOf, plansOf } from "./read_plans.ts";
import {
  acceptAll,
  claim,
  enqueue,
  eventOf,
  fillBucket,
  finish,
  insertSendingCompany,
  planTurns,
  requestOf,
  tickWithoutProbe,
} from "../../setup/fixtures/queue.ts";

const AT_ONCE = 500;
const OF_REQUESTS = [
  ...[
    "campaigns",
    "idempotency_keys",
    "key_requests",
    "login_attempts",
    "outgoing_events",
    "webhook_deliveries",
  ],
  ...["conversations", "conversation_messages", "visitor_requests"],
];
const LARGE = ["notification_facts", "queue", "platform_events", "delivery_attempts", ...OF_REQUESTS];
/** No call may look at more rows than these, however much is stored. */
const MAX_ROWS = 7 * AT_ONCE;

const OF_ONE_CAMPAIGN = /^(cancel|move|pause|resume|recipients in a state)\b/;

async function eventsFor(sql: postgres.Sql, count: number) {
  const sent = await sql<
    { company_id: string; id: string; platform_message_id: string; waba_id: string }[]
  >`
    select n.company_id, n.id, n.platform_message_id, s.waba_id as waba_id from outbound.notifications as n
    join outbound.senders as s on s.company_id = n.company_id and s.id = n.sender_id
    where n.status = 'sent' limit ${count}`;
  return sent.map(({ company_id, id, platform_message_id, waba_id }, index) =>
    eventOf(company_id, id, index % 2 === 0 ? "delivered" : "sent", {
      platform_message_id,
      ...(index % 3 === 0 && { company_id: null, notification_id: null, waba_id }),
    })
  );
}

for (const analyzed of [true, false]) {
  Deno.test(`no call reads or sorts the whole queue, ${analyzed ? "with" : "without"} statistics`, () =>
    withMeasuredDatabase(async ({ sql, url }) => {
      const companies = [await insertSendingCompany(sql), await insertSendingCompany(sql)];
      const widgetId = (await insertWidget(sql, companies[0]!.id)).id;
      await insertWebhook(sql, companies[0]!.id);
      // Without the foreign keys' checks of every row.
      await sql.begin(async (one) => {
        await one`set local session_replication_role = replica`;
        await fillQueue(one, companies);
        await fillEvents(one);
        await fillRequests(one, companies[0]!, widgetId);
      });
      const later = await enqueue(sql, companies[0]!, { count: 20, dueInS: 3600 });
      await planTurns(sql);
      if (analyzed) await sql`analyze`;
      // A table of campaigns without statistics is taken for a small one; it is, for the minute that lasts.
      const large = LARGE.filter((table) => analyzed || table !== "campaigns");
      const events = await eventsFor(sql, AT_ONCE);
      const { id } = companies[0]!;
      const campaigns = await sql<{ id: string }[]>`
        select g.id from outbound.campaigns as g where g.company_id = ${id} and g.pending > 0 order by g.id`;
      const idAt = (index: number) => campaigns.at(index)!.id;
      const campaignId = idAt(0);
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
          await sql`update outbound.sender_rate_state set refilled_at = refilled_at - interval '1 second'`;
          await planTurns(sql);
          const claimed = await claim(sql, { limit: AT_ONCE });
          await finish(one, claimed, { outcome: "sent" });
        },
        tick: (one) => tickWithoutProbe(one, { limit: AT_ONCE }),
        next_due: (one) => one`select outbound.next_due()`,
        open_chores: (one) => one`select outbound.open_chores()`,
        store: (one) => one`select outbound.store_platform_events(${one.json(events as never)})`,
        apply: (one) => one`select outbound.apply_platform_events(${AT_ONCE})`,
        ...requestCalls(companies[0]!, { campaignId, widgetId }),
        // Of ids in the middle, the planner may expect a quarter of the table.
        ...recipientCalls(companies[0]!, {
          first: idAt(0),
          middle: idAt(campaigns.length / 2),
          last: idAt(-1),
        }),
        move: async (one) => {
          const ids = { companyId: id, campaignId: later.campaignId };
          await moveCampaign(one, ids, { to: new Date(Date.now() + 7_200_000), timezone: null }, CLI);
        },
        "cancel a scheduled one": (one) => one`select outbound.cancel_campaign(${id}, ${later.campaignId})`,
        cancel: (one) => one`select outbound.cancel_campaign(${id}, ${campaignId})`,
      };

      const faults: Record<string, string[]> = {};
      for (const [name, call] of Object.entries(calls)) {
        const plans = await plansOf(url, async (one) => void await call(one));
        assert.ok(plans.length > 0, name);
        faults[name] = faultsOf(plans, MAX_ROWS, large);
      }

      const none = Object.fromEntries(Object.keys(calls).map((name) => [name, []]));
      // A campaign's own rows are found by its index; they are as many as it has.
      for (const name of Object.keys(calls).filter((name) => OF_ONE_CAMPAIGN.test(name))) {
        faults[name] = faults[name]!.filter((fault) => /Seq Scan/.test(fault));
      }
      assert.deepEqual(faults, none);
    }));
}

Deno.test("no call reads the whole queue when statistics say that it is empty", () =>
  withMeasuredDatabase(async ({ sql, url }) => {
    const company = await insertSendingCompany(sql);
    await enqueue(sql, company, { count: AT_ONCE });
    await finish(sql, await claim(sql, { limit: AT_ONCE }), { outcome: "sent" });
    await sql`vacuum analyze`;
    await enqueue(sql, company, { count: 20 * AT_ONCE });
    await sql`update outbound.sender_rate_state set refilled_at = refilled_at - interval '1 second'`;

    const plans = await plansOf(url, async (one) => {
      assert.equal((await claim(one, { limit: AT_ONCE })).length, AT_ONCE);
      await one`select outbound.next_due(), outbound.open_chores()`;
    });

    assert.deepEqual(faultsOf(plans, MAX_ROWS, LARGE), []);
  }));

Deno.test("no call compares each message of a batch with every other one", () =>
  withMeasuredDatabase(async ({ sql, url }) => {
    const company = await insertSendingCompany(sql);
    await insertWebhook(sql, company.id);

    const plans = await plansOf(url, async (one) => {
      // Each message is a campaign of its own: so the campaigns are as many.
      await acceptAll(one, Array.from({ length: AT_ONCE }, () => requestOf(company)));
      const claimed = await claim(one, { limit: AT_ONCE });
      assert.equal(claimed.length, AT_ONCE);
      await finish(one, claimed, { outcome: "sent" });
      const events = claimed.map(({ id }) => eventOf(company.id, id, "delivered"));
      await one`select outbound.store_platform_events(${one.json(events as never)})`;
      await one`select outbound.apply_platform_events(${AT_ONCE})`;
    });

    assert.deepEqual(comparingJoins(plans, MAX_ROWS), []);
  }));

Deno.test("no call goes on with a plan that was made while the queue was empty", () =>
  withMeasuredDatabase(async ({ sql, url }) => {
    const company = await insertSendingCompany(sql);

    const plans = await plansOf(url, async (one) => {
      // Each session keeps the plans of its first calls.
      for (const count of [1, 20 * AT_ONCE]) {
        await enqueue(one, company, { count });
        await sql`update outbound.sender_rate_state set refilled_at = refilled_at - interval '1 second'`;
        const claimed = await claim(one, { limit: AT_ONCE });
        assert.equal(claimed.length, Math.min(count, AT_ONCE));
        await one`select outbound.renew_leases('worker', '60 s', ${claimed.map((row) => row.company_id)},
          ${claimed.map((row) => row.id)})`;
        await finish(one, claimed, { outcome: "sent" });
        const events = claimed.map(({ id }) => eventOf(company.id, id, "delivered"));
        await one`select outbound.store_platform_events(${one.json(events as never)})`;
        await one`select outbound.apply_platform_events(${AT_ONCE})`;
        await tickWithoutProbe(one, { limit: AT_ONCE });
      }
    });

    assert.deepEqual(faultsOf(plans, MAX_ROWS, LARGE), []);
  }));

Deno.test("a plan that was made while the tables were empty looks up one campaign without reading the company's others", () =>
  withMeasuredDatabase(async ({ sql, url }) => {
    const company = await insertSendingCompany(sql);
    const few = 20;

    const plans = await plansOf(url, async (one) => {
      const send = async () => {
        const claimed = await claim(one, { limit: few });
        await finish(one, claimed, { outcome: "sent" });
        const events = claimed.map(({ id }) => eventOf(company.id, id, "delivered"));
        await one`select outbound.store_platform_events(${one.json(events as never)})`;
        return claimed.length;
      };
      await acceptAll(one, [requestOf(company)]);
      assert.equal(await send(), 1);
      await acceptAll(sql, Array.from({ length: 3000 }, () => requestOf(company)));
      await fillBucket(sql, company.sender.id);
      assert.equal(await send(), few);
    });

    const pages = Object.entries(pagesReadOf(plans)).filter(([index]) =>
      /^(campaigns|notification_facts|queue)_/.test(index)
    );
    assert.deepEqual(
      pages.filter(([, count]) => count > 40 * few),
      [],
      "a handful of look-ups of each, of three pages",
    );
  }));

Deno.test("no call that a dispatcher or pg_cron repeats is compiled on an empty installation", () =>
  withMeasuredDatabase(async ({ sql, url }) => {
    const [row] = await sql`select current_setting('jit') as jit, pg_jit_available() as available`;
    assert.equal(row!.jit, "on", "Postgres' own default");
    if (!row!.available) return skipped("compiled plans", "this Postgres cannot compile");

    const plans = await plansOf(url, async (one) => {
      await tickWithoutProbe(one);
      await one`select outbound.next_due(), outbound.open_chores()`;
      await claim(one, { limit: AT_ONCE });
      await one`select from outbound.claim_replies('worker', ${AT_ONCE}, '60 s')`;
      await one`select from outbound.claim_deliveries('worker', 64, 16, '60 s')`;
      await one`select from outbound.claim_agent_replies('worker', 64, 8, '60 s')`;
      await one`select outbound.settle_replies('120 s')`;
      await one`select outbound.apply_platform_events(), outbound.apply_account_events(),
        outbound.apply_template_events(), outbound.operating_figures(), outbound.clean_up(),
        outbound.invoke_dispatch()`;
      await continueStopping(one);
      await continueResends(one, { ttlS: 86_400 });
    });

    assert.deepEqual(compiledOf(plans), 0);
  }));
