import assert from "node:assert/strict";
import type postgres from "postgres";
import { OWN_ENDPOINT } from "../../../supabase/functions/_shared/db/webhooks/webhooks.ts";
import { claimDeliveries } from "../../../supabase/functions/_shared/db/webhooks/webhooks.ts";
import { withMeasuredDatabase, withoutSnapshots } from "../../setup/database/postgres_database.ts";
import { insertCompany, insertSender } from "../../setup/fixtures/fixtures.ts";
import { insertReplies, insertWaitingCompanies } from "../../setup/fixtures/waiting_companies.ts";
import { insertEvents, insertWebhook } from "../../setup/fixtures/webhooks.ts";
import { pagesReadOf, plansOf } from "./read_plans.ts";

const NEIGHBOURS = 3000;

function claimEvents(sql: postgres.Sql, options: { limit?: number; maxFailing?: number } = {}) {
  return claimDeliveries(sql, { worker: "w", limit: 500, maxFailing: 10, leaseS: 60, ...options });
}

async function claimReplies(sql: postgres.Sql): Promise<{ company_id: string; sender_id: string }[]> {
  return await sql`select * from outbound.claim_replies('w', 100, interval '60 seconds')`;
}

/** Returns the pages that a claim of one due event, and of one due reply, reads beside so many companies that wait. */
async function pagesBeside(neighbours: number): Promise<{ events: number; replies: number }> {
  const pages = { events: -1, replies: -1 };
  await withMeasuredDatabase(async ({ sql, url }) => {
    await insertWaitingCompanies(sql, neighbours, 2);
    // Until all that is due now has had its turn.
    while ((await sql`select from outbound.reply_schedule where due_at <= now() limit 1`).length > 0) {
      await claimReplies(sql);
    }
    for (let round = 0; round < 60; round++) await claimEvents(sql);
    await withoutSnapshots(sql);
    await sql`vacuum analyze`;
    const company = await insertCompany(sql);
    await insertWebhook(sql, company.id);
    await insertEvents(sql, company.id, 1);
    const sender = await insertSender(sql, company.id);
    await insertReplies(sql, sql`select ${company.id}::uuid, ${sender.id}::uuid, now()`);
    await sql`update outbound.webhook_schedule set due_at = now() + interval '1 hour'`;
    await withoutSnapshots(sql);
    await sql`vacuum analyze`;

    const events = await plansOf(url, async (one) => {
      assert.deepEqual((await claimEvents(one)).map(({ company_id }) => company_id), [company.id]);
    });
    const replies = await plansOf(url, async (one) => {
      assert.deepEqual((await claimReplies(one)).map(({ company_id }) => company_id), [company.id]);
    });
    const sum = (pagesOf: Record<string, number>) => Object.values(pagesOf).reduce((a, b) => a + b, 0);
    Object.assign(pages, { events: sum(pagesReadOf(events)), replies: sum(pagesReadOf(replies)) });
  });
  return pages;
}

Deno.test(`${NEIGHBOURS} companies whose events and replies only wait cost a claim no pages`, async () => {
  const none = await pagesBeside(0);
  const many = await pagesBeside(NEIGHBOURS);

  // Each look-up may descend one or two levels more; the events under way, ten of failing endpoints, are counted.
  assert.ok(many.events <= none.events + 60, JSON.stringify({ none, many }));
  assert.ok(many.replies <= none.replies + 40, JSON.stringify({ none, many }));
});

/** Returns the pages that a claim of an event of one company reads while so many of others are under way. */
async function pagesBesideUnderWay(companies: number): Promise<number> {
  let pages = -1;
  await withMeasuredDatabase(async ({ sql, url }) => {
    await insertWaitingCompanies(sql, companies, 10);
    await sql`update outbound.webhook_deliveries
      set worker = 'other', deferred = true, run_at = now() + interval '1 minute'`;
    const { id } = await insertCompany(sql);
    await insertWebhook(sql, id);
    await insertEvents(sql, id, 1);
    await withoutSnapshots(sql);
    await sql`vacuum analyze`;
    const plans = await plansOf(url, async (one) => {
      assert.deepEqual((await claimEvents(one)).map(({ company_id }) => company_id), [id]);
    });
    pages = Object.values(pagesReadOf(plans)).reduce((a, b) => a + b, 0);
  });
  return pages;
}

Deno.test("a claim of events reads nothing of what is under way to other endpoints", async () => {
  const few = await pagesBesideUnderWay(1);
  const many = await pagesBesideUnderWay(NEIGHBOURS / 3);

  assert.ok(many <= few + 30, JSON.stringify({ few, many }));
});

/** Returns the pages that a claim of one due retry reads while the retries of so many endpoints in trouble are due. */
async function pagesBesideFailing(failing: number): Promise<number> {
  let pages = -1;
  await withMeasuredDatabase(async ({ sql, url }) => {
    await insertWaitingCompanies(sql, failing, 1);
    await sql`update outbound.webhook_deliveries set deferred = true`;
    await sql`insert into outbound.webhook_schedule (company_id, is_failing, due_at)
      select company_id, true, now() - interval '1 hour' from outbound.webhooks`;
    const { id } = await insertCompany(sql);
    await insertWebhook(sql, id);
    await insertEvents(sql, id, 1);
    await sql`update outbound.webhook_deliveries set deferred = true where company_id = ${id}`;
    await sql`insert into outbound.webhook_schedule (company_id, due_at) values (${id}, now())`;
    await withoutSnapshots(sql);
    await sql`vacuum analyze`;
    const plans = await plansOf(url, async (one) => {
      assert.equal((await claimEvents(one))[0]?.company_id, id);
    });
    pages = Object.values(pagesReadOf(plans)).reduce((a, b) => a + b, 0);
  });
  return pages;
}

Deno.test(`the first claim takes the due retry of an endpoint that works while ${NEIGHBOURS} in trouble are due`, async () => {
  const few = await pagesBesideFailing(NEIGHBOURS / 10);
  const many = await pagesBesideFailing(NEIGHBOURS);

  assert.ok(many <= few + 100, JSON.stringify({ few, many }));
});

Deno.test(`the first claim after ${NEIGHBOURS} senders were stopped, and while replies of others are locked, takes a due reply`, () =>
  withMeasuredDatabase(async ({ sql }) => {
    await insertWaitingCompanies(sql, 2 * NEIGHBOURS, 0);
    const company = await insertCompany(sql);
    const [locked, other] = [await insertSender(sql, company.id), await insertSender(sql, company.id)];
    await insertReplies(sql, sql`select ${company.id}::uuid, ${locked.id}::uuid, now()`);
    await insertReplies(sql, sql`select ${company.id}::uuid, ${other.id}::uuid, now()`);

    await sql.begin(async (one) => {
      await one`select from outbound.contact_messages where sender_id = ${locked.id} for update`;
      assert.deepEqual((await claimReplies(sql)).map(({ sender_id }) => sender_id), [other.id]);
    });

    await sql`update outbound.reply_schedule set due_at = due_at - interval '100 ms'`;
    assert.deepEqual((await claimReplies(sql)).map(({ sender_id }) => sender_id), [locked.id]);
    const [stopped] = await sql`select count(*)::int from outbound.reply_schedule where due_at = 'infinity'`;
    assert.equal(stopped!.count, NEIGHBOURS);
  }));

Deno.test("every endpoint in trouble gets its turn, and what it could not take goes when its request is over", () =>
  withMeasuredDatabase(async ({ sql }) => {
    await insertWaitingCompanies(sql, 25, 2);
    const seen = new Map<string, number>();
    for (let round = 0; round < 10; round++) {
      const claimed = await claimEvents(sql);
      for (const { company_id } of claimed) seen.set(company_id, (seen.get(company_id) ?? 0) + 1);
      const results = claimed.map(({ company_id, event_id, attempt }) => ({
        ...{
          company_id,
          event_id,
          attempt,
          outcome: "failed",
          response_status: 500,
          response_body: "",
          error: "no",
        },
        ...{ duration_ms: 1, retry_in_s: 3600, gone: false },
      }));
      await sql`select outbound.finish_deliveries('w', ${sql.json(results)})`;
      await sql`update outbound.webhook_schedule set due_at = due_at - interval '30 seconds'`;
    }

    assert.deepEqual([seen.size, new Set(seen.values())], [25, new Set([2])]);
  }));

Deno.test("an event that is handed back after its webhook was switched off has failed, and does not go when it is on again", () =>
  withMeasuredDatabase(async ({ sql }) => {
    const { id } = await insertCompany(sql);
    await insertWebhook(sql, id);
    await insertEvents(sql, id, 1);
    const [claimed] = await claimEvents(sql);
    await sql`select outbound.stop_endpoint(${id}, ${OWN_ENDPOINT}, 'off')`;

    const { company_id, event_id, attempt } = claimed!;
    await sql`select outbound.finish_deliveries('w', ${
      sql.json([{ company_id, event_id, attempt, outcome: "released" }])
    })`;
    await sql`update outbound.webhooks set is_active = true, stopped_reason = null`;

    const deliveries = await sql`select status, error from outbound.webhook_deliveries`;
    assert.deepEqual([...deliveries], [{ status: "failed", error: "The webhook was switched off" }]);
    assert.equal((await claimEvents(sql)).length, 0);
  }));

Deno.test("an event that was deferred, of which no schedule is left, goes after the repair", () =>
  withMeasuredDatabase(async ({ sql }) => {
    const { id } = await insertCompany(sql);
    await insertWebhook(sql, id);
    await insertEvents(sql, id, 1);
    await sql`update outbound.webhook_deliveries set deferred = true`;
    assert.equal((await claimEvents(sql)).length, 0);

    await sql`select outbound.repair_webhook_schedule()`;

    assert.equal((await claimEvents(sql)).length, 1);
  }));
