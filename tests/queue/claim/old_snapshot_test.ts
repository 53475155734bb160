import assert from "node:assert/strict";
import postgres from "postgres";
import { withTestDatabase } from "../../setup/database/database.ts";
import { withPostgresDatabase } from "../../setup/database/postgres_database.ts";
import {
  assertConserved,
  claim,
  enqueue,
  fillBucket,
  finish,
  insertSendingCompany,
  statusesOf,
  tickNow,
} from "../../setup/fixtures/queue.ts";
import { insertReplies, insertWaitingCompanies } from "../../setup/fixtures/waiting_companies.ts";
import { pagesReadOf, plansOf } from "../plans/read_plans.ts";

/** Calls `fn` while a transaction is open that has read the queue. */
async function withSnapshot(url: string, fn: () => Promise<void>): Promise<void> {
  const other = postgres(url, { max: 1, onnotice: () => {} });
  try {
    await other.begin("isolation level repeatable read", async (report) => {
      await report`select count(*) from outbound.notifications`;
      await fn();
    });
  } finally {
    await other.end({ timeout: 5 });
  }
}

/** As if the last look at everything that waits were a minute ago. */
async function letRepair(sql: postgres.Sql): Promise<void> {
  await sql`update outbound.settings set updated_at = updated_at - interval '2 minutes' where name = 'last_turn_repair'`;
}

/** Sends messages while a snapshot is open, then counts the pages of the queue that a claim looks at. */
async function pagesOfClaim({ sent }: { sent: number }): Promise<number> {
  let pages = -1;
  await withPostgresDatabase(async ({ sql, url }) => {
    const company = await insertSendingCompany(sql, { sender: { rate_per_second: 1_000_000 } });
    // Waits first and stays: what one priority has waiting keeps no claim from skipping what another one had.
    await enqueue(sql, company, { type: "marketing" });
    for (const _ of [1, 2]) await enqueue(sql, company, { count: sent / 2 + 50 });
    await withSnapshot(url, async () => {
      for (let done = 0; done < sent; done += 100) {
        await finish(sql, await claim(sql, { limit: 100 }), { outcome: "sent" });
        await fillBucket(sql, company.sender.id);
      }
      const plans = await plansOf(url, async (one) => {
        assert.equal((await claim(one, { limit: 20 })).length, 20);
      });
      pages = pagesReadOf(plans).queue_waiting_idx!;
    });
    await assertConserved(sql);
  });
  return pages;
}

Deno.test("a claim does not step over what was claimed before, which an old snapshot keeps in the index", async () => {
  const few = await pagesOfClaim({ sent: 200 });
  const many = await pagesOfClaim({ sent: 4000 });

  assert.ok(many <= 1.5 * few, `${many} pages after 4,000 messages, ${few} after 200`);
});

Deno.test("what is accepted for a time before the last claim is claimed", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    await enqueue(sql, company);
    await claim(sql);

    for (const type of ["transactional", "utility", "marketing"] as const) {
      const { ids } = await enqueue(sql, company, { type, dueInS: -3600 });
      await assertConserved(sql);
      assert.deepEqual((await claim(sql)).map(({ id }) => id), ids);
    }
  }));

Deno.test("what goes back to the queue before the next message is claimed, first", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    await enqueue(sql, company, { count: 10, dueInS: -3600 });
    const first = await claim(sql, { limit: 3 });
    await claim(sql, { limit: 3 });

    await finish(sql, first, { outcome: "released" });
    const again = await claim(sql, { limit: 3 });

    const ids = (claimed: { id: string }[]) => claimed.map(({ id }) => id).toSorted();
    assert.deepEqual(ids(again), ids(first));
    await assertConserved(sql);
  }));

Deno.test("what is resumed is claimed, however long others were sent meanwhile", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const held = await enqueue(sql, company, { dueInS: -3600 });
    await sql`select outbound.pause_campaign(${company.id}, ${held.campaignId})`;
    await enqueue(sql, company, { dueInS: -60 });
    await claim(sql);

    await sql`select outbound.resume_campaign(${company.id}, ${held.campaignId})`;

    assert.deepEqual((await claim(sql)).map(({ id }) => id), held.ids);
    await assertConserved(sql);
  }));

Deno.test("a tick finds what reached the queue by hand, before the last claim", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    await enqueue(sql, company);
    await claim(sql);
    const { ids } = await enqueue(sql, company);
    await sql`update outbound.queue set run_at = run_at - interval '1 hour' where id = ${ids[0]!}`;
    assert.deepEqual(await claim(sql), []);

    await letRepair(sql);
    const { repaired_turns } = await tickNow(sql);

    assert.equal(repaired_turns, 1);
    assert.deepEqual((await claim(sql)).map(({ id }) => id), ids);
    await assertConserved(sql);
  }));

/** Lets leases end while a snapshot is open, then counts the pages that ticks and `next_due()` look at for leases. */
async function pagesOfLeases({ sent }: { sent: number }): Promise<{ tick: number; nextDue: number }> {
  const pages = { tick: -1, nextDue: -1 };
  await withPostgresDatabase(async ({ sql, url }) => {
    const company = await insertSendingCompany(sql, { sender: { rate_per_second: 1_000_000 } });
    await enqueue(sql, company, { count: sent });
    await tickNow(sql);
    await withSnapshot(url, async () => {
      for (let done = 0; done < sent; done += 100) {
        await fillBucket(sql, company.sender.id);
        await finish(sql, await claim(sql, { limit: 100, leaseS: -3600 }), { outcome: "sent" });
      }
      await letRepair(sql);
      await tickNow(sql);
      const read = async (fn: (one: postgres.Sql) => Promise<unknown>) =>
        pagesReadOf(await plansOf(url, async (one) => void await fn(one))).queue_lease_idx ?? 0;
      pages.tick = await read(tickNow);
      pages.nextDue = await read((one) => one`select outbound.next_due()`);
    });
  });
  return pages;
}

Deno.test("ticks and next_due() do not step over the leases that ended, which an old snapshot keeps in the index", async () => {
  const few = await pagesOfLeases({ sent: 100 });
  const many = await pagesOfLeases({ sent: 4000 });

  assert.ok(many.tick <= few.tick + 10, JSON.stringify({ few, many }));
  assert.ok(many.nextDue <= few.nextDue + 10, JSON.stringify({ few, many }));
});

Deno.test("a lease that ended before all that were looked at is found a minute later", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    await tickNow(sql);
    const { ids } = await enqueue(sql, company);
    await claim(sql, { leaseS: -3600 });
    assert.equal((await tickNow(sql)).rescued, 0);

    await letRepair(sql);
    await tickNow(sql);
    const { rescued } = await tickNow(sql);

    assert.equal(rescued, 1);
    assert.deepEqual(await statusesOf(sql, ids), ["unconfirmed"]);
    await assertConserved(sql);
  }));

/** The schedules, and what looks at each of them. */
const SCHEDULES = {
  sender_schedule: (one: postgres.Sql) => one`select outbound.next_due()`,
  reply_schedule: (one: postgres.Sql) => one`select outbound.claim_replies('w', 10, interval '60 s')`,
  webhook_schedule: (one: postgres.Sql) => one`select outbound.claim_deliveries('w', 10, 5, interval '60 s')`,
};

/** Changes the times of each schedule while a snapshot is open, then counts the pages of its index that are looked at. */
async function pagesOfSchedules({ changes }: { changes: number }): Promise<Record<string, number>> {
  const pages: Record<string, number> = {};
  await withPostgresDatabase(async ({ sql, url }) => {
    await insertWaitingCompanies(sql, 100, 2);
    await insertReplies(sql, sql`select company_id, id, now() from outbound.senders`);
    await sql`select outbound.claim_deliveries('w', 10, 0, interval '60 s')`;
    await sql`update outbound.sender_schedule set ready_at = '-infinity'`;
    for (const schedule of Object.keys(SCHEDULES)) {
      await sql`update outbound.${sql(schedule)} set due_at = now() - interval '1 hour'`;
    }
    await sql`vacuum`;
    await withSnapshot(url, async () => {
      for (const schedule of Object.keys(SCHEDULES)) {
        for (let done = 0; done < changes; done += 100) {
          await sql`update outbound.${sql(schedule)} set due_at = due_at + interval '1 second'`;
        }
        await sql`update outbound.${sql(schedule)} set due_at = now() + interval '1 hour'`;
      }
      await tickNow(sql);
      for (const [schedule, look] of Object.entries(SCHEDULES)) {
        pages[schedule] = pagesReadOf(
          await plansOf(url, async (one) => void await look(one)),
        )[`${schedule}_due_idx`] ?? 0;
      }
    });
  });
  return pages;
}

Deno.test("claims do not step over the times that a schedule had, which an old snapshot keeps in the index", async () => {
  const few = await pagesOfSchedules({ changes: 100 });
  const many = await pagesOfSchedules({ changes: 10_000 });

  for (const schedule of Object.keys(SCHEDULES)) {
    assert.ok(many[schedule]! <= few[schedule]! + 10, JSON.stringify({ few, many }));
  }
});

Deno.test("work that was due long before all that was looked at is claimed", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    await tickNow(sql);
    const { ids } = await enqueue(sql, company, { dueInS: -3600 });

    assert.deepEqual((await claim(sql)).map(({ id }) => id), ids);
    await assertConserved(sql);
  }));
