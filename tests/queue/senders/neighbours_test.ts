import assert from "node:assert/strict";
import postgres from "postgres";
import { withMeasuredDatabase, withoutSnapshots } from "../../setup/database/postgres_database.ts";
import {
  assertConserved,
  claim,
  enqueue,
  fillBucket,
  insertSendingCompany,
  letTimePass,
  planTurns,
  type SendingCompany,
} from "../../setup/fixtures/queue.ts";
import { compiledOf, pagesReadOf, plansOf, rowsReadOf, walRecordsOf } from "../plans/read_plans.ts";
import { insertQueued } from "../../setup/fixtures/insert_queued.ts";

/** Senders of one company, each with something waiting that is not due, made in the database. */
async function insertNeighbours(sql: postgres.Sql, count: number): Promise<void> {
  const { id, key, template } = await insertSendingCompany(sql);
  await sql`
    insert into outbound.senders (company_id, channel, number, platform_id, waba_id, token_sealed)
    select ${id}, 'whatsapp', (59100000000 + n)::text, 'neighbour-' || n, '1', 'sealed'
    from generate_series(1, ${count}) as n`;
  await sql`
    insert into outbound.campaigns (company_id, id, api_key_id, channel, name, notification_type, sender_id, template_id,
      template_name, template_language, total, pending, paused_at)
    select ${id}, gen_random_uuid(), ${key.id}, 'whatsapp', 'C', 'utility', s.id, ${template.id}, 'hello', 'en', 3, 3, now()
    from outbound.senders as s where s.company_id = ${id} and s.platform_id like 'neighbour-%'`;
  // Scheduled for next week, due for a retry in an hour, and held.
  await insertQueued(
    sql,
    sql`
    select g.company_id, gen_random_uuid() as id, g.id as campaign_id, g.sender_id, 1 as priority, '34600111222' as number,
      '[]' as message, w.run_at, w.held_run_at, now() + interval '30 days' as expires_at
    from outbound.campaigns as g cross join (values
      (now() + interval '7 days', null), (now() + interval '1 hour', null), ('infinity'::timestamptz, now())
    ) as w(run_at, held_run_at)
    where g.company_id = ${id} and g.name = 'C' and g.paused_at is not null`,
  );
  await planTurns(sql);
}

/**
 * Measures what a claim of a busy sender returns, reads, compiles and locks, and what an empty claim, `next_due()` and the
 * repair of turns read and write.
 */
async function measure(neighbours: number, { analyzed }: { analyzed: boolean }) {
  const measured = {
    claimed: 0,
    locks: {},
    rows: [{}],
    pages: [] as Record<string, number>[],
    compiled: 0,
    written: [0],
  };
  await withMeasuredDatabase(async ({ sql, url }) => {
    const busy = await insertSendingCompany(sql);
    await insertNeighbours(sql, neighbours);
    await enqueue(sql, busy, { count: 700 });
    await fillBucket(sql, busy.sender.id);
    if (analyzed) await sql`analyze`;

    let claimed = -1;
    const claiming = await plansOf(
      url,
      async (one) => void (claimed = (await claim(one, { limit: 512 })).length),
    );
    const locks = await locksOf(url, sql, busy);
    await claim(sql, { limit: 512 });
    await withoutSnapshots(sql);
    await sql`vacuum outbound.sender_schedule, outbound.queue`; // pages that died count otherwise
    const nothing = await plansOf(url, async (one) => assert.deepEqual(await claim(one), []));
    const ahead = await plansOf(url, async (one) => void await one`select outbound.next_due()`);
    const repair = await plansOf(
      url,
      async (one) => void await one`select outbound.repair_sender_schedule()`,
    );
    // Counts each campaign by itself: with 5,000 it would take longer than everything else.
    if (neighbours < 5000) await assertConserved(sql);

    Object.assign(measured, {
      claimed,
      locks,
      rows: [claiming, nothing, ahead].map(rowsReadOf),
      pages: [nothing, ahead].map(pagesReadOf),
      compiled: compiledOf([...claiming, ...nothing, ...ahead, ...repair]),
      written: [nothing, ahead, repair].map(walRecordsOf),
    });
  });
  return measured;
}

/** While it reads, Postgres may remove dead rows from a page of each table, which is written as well. */
const MAX_CLEANED = 3;

/** The tree of an index may have become one level deeper, and a search may begin a page or two too early. */
const MORE_PAGES = 3;

/** Everything is the same, except for those pages. */
function assertSame(many: Measured, few: Measured): void {
  assert.deepEqual({ ...many, pages: [], written: [] }, { ...few, pages: [], written: [] });
  for (const records of [...many.written, ...few.written]) {
    assert.ok(records <= MAX_CLEANED, JSON.stringify({ many: many.written, few: few.written }));
  }
  for (const [query, pages] of many.pages.entries()) {
    for (const [index, count] of Object.entries(pages)) {
      assert.ok(count <= (few.pages[query]![index] ?? 0) + MORE_PAGES, `${count} pages of ${index}`);
    }
  }
}

type Measured = Awaited<ReturnType<typeof measure>>;

/** How many rows of each table a claim keeps from others until it is committed. */
async function locksOf(
  url: string,
  sql: postgres.Sql,
  busy: SendingCompany,
): Promise<Record<string, number>> {
  await fillBucket(sql, busy.sender.id);
  const other = postgres(url, { max: 1, onnotice: () => {} });
  try {
    return await other.begin(async (transaction) => {
      await claim(transaction as unknown as postgres.Sql, { limit: 32 });
      const locked: Record<string, number> = {};
      for (const table of ["senders", "sender_rate_state", "sender_schedule", "campaigns", "queue"]) {
        const [row] = await sql<{ locked: number }[]>`
          with free as (select from outbound.${sql(table)} for no key update skip locked)
          select (select count(*) from outbound.${sql(table)})::int - count(*)::int as locked from free`;
        locked[table] = row!.locked;
      }
      return locked;
    });
  } finally {
    await other.end({ timeout: 5 });
  }
}

for (const analyzed of [true, false]) {
  Deno.test(`what other senders have waiting for later changes no claim, ${analyzed ? "with" : "without"} statistics`, async () => {
    const few = await measure(100, { analyzed });
    const many = await measure(1500, { analyzed });

    const locks = { senders: 0, sender_rate_state: 1, sender_schedule: 1, campaigns: 1, queue: 32 };
    assert.deepEqual([few.claimed, few.locks, few.compiled], [512, locks, 0]);
    assertSame(many, few);
  });
}

for (const { neighbours, limit } of [{ neighbours: 64, limit: 32 }, { neighbours: 1000, limit: 512 }]) {
  Deno.test(`a claim of ${limit} returns ${limit} although ${neighbours} other senders have something for later`, () =>
    withMeasuredDatabase(async ({ sql }) => {
      const busy = await insertSendingCompany(sql);
      await insertNeighbours(sql, neighbours);
      await enqueue(sql, busy, { count: limit });
      await fillBucket(sql, busy.sender.id);

      assert.equal((await claim(sql, { limit })).length, limit);
    }));
}

Deno.test("with 5,000 senders that wait, an empty claim and next_due() read and write as little as with none", async () => {
  const none = await measure(0, { analyzed: false });
  const many = await measure(5000, { analyzed: false });

  assert.deepEqual([none.claimed, none.compiled], [512, 0]);
  assertSame(many, none);
});

/** Counts the pages of the queue that a claim looks at while its own sender has so many messages held and for later. */
async function pagesBesideOwn(waiting: number): Promise<{ claiming: number; nothing: number }> {
  const pages = { claiming: -1, nothing: -1 };
  await withMeasuredDatabase(async ({ sql, url }) => {
    const company = await insertSendingCompany(sql);
    const { campaignId } = await enqueue(sql, company, { dueInS: 7 * 86_400 });
    await insertQueued(
      sql,
      sql`
      select ${company.id}::uuid as company_id, gen_random_uuid() as id, ${campaignId}::uuid as campaign_id,
        ${company.sender.id}::uuid as sender_id, 1 as priority, '34600111222' as number, '[]' as message,
        case when n % 2 = 0 then 'infinity' else now() + interval '7 days' end as run_at,
        case when n % 2 = 0 then now() end as held_run_at, now() + interval '30 days' as expires_at
      from generate_series(1, ${waiting}::int) as n`,
    );
    await sql`update outbound.campaigns set total = 1 + ${waiting}::int, pending = 1 + ${waiting}::int
      where id = ${campaignId}`;
    await enqueue(sql, company, { count: 64 });
    await fillBucket(sql, company.sender.id);
    const claiming = await plansOf(url, async (one) => {
      assert.equal((await claim(one, { limit: 32 })).length, 32);
    });
    await claim(sql, { limit: 32 });
    await fillBucket(sql, company.sender.id);
    const nothing = await plansOf(url, async (one) => assert.deepEqual(await claim(one), []));
    pages.claiming = pagesReadOf(claiming).queue_waiting_idx!;
    pages.nothing = pagesReadOf(nothing).queue_waiting_idx ?? 0;
  });
  return pages;
}

Deno.test("100,000 messages of a sender that are held or for next week cost its claims no pages", async () => {
  const none = await pagesBesideOwn(0);
  const many = await pagesBesideOwn(100_000);

  // The tree is two levels deeper; a claim descends it 16 times, for each priority, to choose and to plan the next turn. Each
  // time it may begin on the page before its own.
  assert.ok(many.claiming <= none.claiming + 16 * 3, JSON.stringify({ none, many }));
  assert.equal(many.nothing, none.nothing);
});

Deno.test("claims of different senders run side by side, the longest unserved first", () =>
  withMeasuredDatabase(async ({ sql, url }) => {
    const companies: SendingCompany[] = [];
    for (let n = 0; n < 70; n++) {
      const company = await insertSendingCompany(sql);
      await enqueue(sql, company);
      companies.push(company);
    }

    const other = postgres(url, { max: 1, onnotice: () => {} });
    try {
      await other.begin(async (transaction) => {
        const first = await claim(transaction as unknown as postgres.Sql, { worker: "first", limit: 512 });
        const second = await claim(sql, { worker: "second", limit: 512 });

        const ids = (claimed: { company_id: string }[]) =>
          claimed.map(({ company_id }) => company_id).toSorted();
        const oldest = companies.map(({ id }) => id);
        assert.deepEqual(ids(first), oldest.slice(0, 32).toSorted());
        assert.deepEqual(ids(second), oldest.slice(32, 64).toSorted());
      });
    } finally {
      await other.end({ timeout: 5 });
    }
    await assertConserved(sql);
  }));

/** Several times as long as a claim puts a sender off. */
const PUT_OFF_MS = 1000;

Deno.test("what is queued while a claim looks for more is never forgotten", () =>
  withMeasuredDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    let open = true;
    let claimed = 0;
    const claiming = Promise.all([0, 1].map(async (worker) => {
      // A claim may put the sender off for a moment while the other one has its rate state locked.
      for (let foundAt = Date.now(); open || Date.now() - foundAt < PUT_OFF_MS;) {
        const { length } = await claim(sql, { worker: `w${worker}`, limit: 8 });
        claimed += length;
        if (length > 0) foundAt = Date.now();
      }
    }));

    await Promise.all([0, 1, 2].map(async () => {
      for (let n = 0; n < 60; n++) await enqueue(sql, company);
    }));
    open = false;
    await claiming;

    assert.equal(claimed, 180);
    await assertConserved(sql);
  }));

Deno.test("senders whose work has expired keep no other from being looked at", () =>
  withMeasuredDatabase(async ({ sql }) => {
    for (let n = 0; n < 40; n++) await enqueue(sql, await insertSendingCompany(sql), { ttlS: 60 });
    await letTimePass(sql, 61);
    const fresh = await insertSendingCompany(sql);
    const { ids } = await enqueue(sql, fresh);

    const claimed = await claim(sql, { limit: 10 });
    const next = await claim(sql, { limit: 10 });

    assert.deepEqual(claimed.map(({ id }) => id), ids);
    assert.deepEqual(next, []);
    await assertConserved(sql);
  }));
