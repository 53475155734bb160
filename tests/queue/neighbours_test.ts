import assert from "node:assert/strict";
import postgres from "postgres";
import { withPostgresDatabase } from "../setup/postgres_database.ts";
import {
  assertConserved,
  claim,
  enqueue,
  fillBucket,
  insertSendingCompany,
  letTimePass,
  planTurns,
  type SendingCompany,
} from "../setup/queue.ts";
import { plansOf, rowsReadOf } from "./read_plans.ts";

/** Senders of one company, each with something waiting that is not due, made in the database. */
async function insertNeighbours(sql: postgres.Sql, count: number): Promise<void> {
  const { id, key, template } = await insertSendingCompany(sql);
  await sql`
    insert into outbound.senders (company_id, channel, number, provider_id, waba_id, token_sealed)
    select ${id}, 'whatsapp', (59100000000 + n)::text, 'neighbour-' || n, '1', 'sealed'
    from generate_series(1, ${count}) as n`;
  await sql`
    insert into outbound.campaigns (company_id, id, api_key_id, channel, name, notification_type, sender_id, template_id,
      template_name, template_language, total, pending, paused_at)
    select ${id}, gen_random_uuid(), ${key.id}, 'whatsapp', 'C', 'utility', s.id, ${template.id}, 'hello', 'en', 3, 3, now()
    from outbound.senders as s where s.company_id = ${id} and s.provider_id like 'neighbour-%'`;
  // Scheduled for next week, due for a retry in an hour, and held.
  await sql`
    insert into outbound.notifications (company_id, id, campaign_id, sender_id, priority, number, message, status,
      run_at, held_run_at, expires_at)
    select g.company_id, gen_random_uuid(), g.id, g.sender_id, 1, '34600111222', '[]', w.status, w.run_at, w.held_run_at,
      now() + interval '30 days'
    from outbound.campaigns as g cross join (values
      ('scheduled', now() + interval '7 days', null), ('queued', now() + interval '1 hour', null),
      ('queued', 'infinity'::timestamptz, now())
    ) as w(status, run_at, held_run_at)
    where g.company_id = ${id} and g.name = 'C' and g.paused_at is not null`;
  await planTurns(sql);
}

/** Measures what a claim of a busy sender returns, reads and locks, and what an empty claim and `next_due()` read. */
async function measure(neighbours: number, { analyzed }: { analyzed: boolean }) {
  let measured = { claimed: 0, locks: 0, claiming: {}, nothing: {}, ahead: {} };
  await withPostgresDatabase(async ({ sql, url }) => {
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
    const nothing = await plansOf(url, async (one) => assert.deepEqual(await claim(one), []));
    const ahead = await plansOf(url, async (one) => void await one`select outbound.next_due()`);
    await assertConserved(sql);

    measured = {
      claimed,
      locks,
      claiming: rowsReadOf(claiming),
      nothing: rowsReadOf(nothing),
      ahead: rowsReadOf(ahead),
    };
  });
  return measured;
}

/** How many senders a claim keeps from other claims until it is committed. */
async function locksOf(url: string, sql: postgres.Sql, busy: SendingCompany): Promise<number> {
  await fillBucket(sql, busy.sender.id);
  const other = postgres(url, { max: 1, onnotice: () => {} });
  try {
    return await other.begin(async (transaction) => {
      await claim(transaction as unknown as postgres.Sql, { limit: 32 });
      const [row] = await sql<{ locked: number }[]>`
        with free as (select from outbound.sender_rate_state for no key update skip locked)
        select (select count(*) from outbound.sender_rate_state)::int - count(*)::int as locked from free`;
      return row!.locked;
    });
  } finally {
    await other.end({ timeout: 5 });
  }
}

for (const analyzed of [true, false]) {
  Deno.test(`what other senders have waiting for later changes no claim, ${analyzed ? "with" : "without"} statistics`, async () => {
    const few = await measure(100, { analyzed });
    const many = await measure(1500, { analyzed });

    assert.deepEqual([few.claimed, few.locks], [512, 1]);
    assert.deepEqual(many, few);
  });
}

Deno.test("claims of different senders run side by side, the longest unserved first", () =>
  withPostgresDatabase(async ({ sql, url }) => {
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
  withPostgresDatabase(async ({ sql }) => {
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

Deno.test("senders whose work has expired keep nobody else from being looked at", () =>
  withPostgresDatabase(async ({ sql }) => {
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
