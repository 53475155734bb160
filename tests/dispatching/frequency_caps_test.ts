import assert from "node:assert/strict";
import type postgres from "postgres";
import { eventually } from "../setup/eventually.ts";
import { type Queued, statesOf } from "../setup/fixtures/queue.ts";
import { type Dispatching, withDispatching } from "./with_dispatching.ts";

async function setCaps(
  sql: postgres.Sql,
  caps: { channel: string; max: number; days: number }[],
): Promise<void> {
  await sql`
    insert into outbound.contact_rules (company_id, frequency_caps)
    select id, ${sql.json(caps)} from outbound.companies
    on conflict (company_id) do update set frequency_caps = excluded.frequency_caps`;
}

/** Queues that many messages to one person, each in a campaign of its own. */
async function enqueueToOne(
  t: Dispatching,
  count: number,
  type: "marketing" | "utility" = "marketing",
): Promise<Queued[]> {
  const queued: Queued[] = [];
  for (let index = 0; index < count; index++) queued.push(await t.enqueue(1, { type }));
  return queued;
}

async function outcomes({ sql }: Dispatching, queued: Queued[]): Promise<Record<string, number>> {
  const states = await statesOf(sql, queued.flatMap(({ ids }) => ids));
  return states.reduce<Record<string, number>>((counts, { status, error_code }) => {
    const outcome = error_code === null ? status : `${status} ${error_code}`;
    return { ...counts, [outcome]: (counts[outcome] ?? 0) + 1 };
  }, {});
}

Deno.test("marketing over the company's cap is skipped; the rest leaves, and other messages with it", () =>
  withDispatching(async (t) => {
    await setCaps(t.sql, [{ channel: "any", max: 2, days: 7 }]);
    const marketing = await enqueueToOne(t, 5);
    const utility = await enqueueToOne(t, 2, "utility");

    await t.running(() =>
      eventually(async () => {
        assert.deepEqual(await outcomes(t, marketing), { read: 2, "skipped frequency_cap": 3 });
        assert.deepEqual(await outcomes(t, utility), { read: 2 });
      })
    );

    assert.equal((await t.taken()).size, 4);
  }));

Deno.test("caps are per person, and those of calls are not about messages", () =>
  withDispatching(async (t) => {
    await setCaps(t.sql, [{ channel: "any", max: 1, days: 1 }, { channel: "voice", max: 1, days: 1 }]);
    const queued = [await t.enqueue(3, { type: "marketing" }), await t.enqueue(3, { type: "marketing" })];

    await t.running(() =>
      eventually(async () =>
        assert.deepEqual(await outcomes(t, queued), { read: 3, "skipped frequency_cap": 3 })
      )
    );

    await setCaps(t.sql, [{ channel: "voice", max: 1, days: 1 }]);
    const uncapped = [await t.enqueue(3, { type: "marketing" })];
    await t.running(() => eventually(async () => assert.deepEqual(await outcomes(t, uncapped), { read: 3 })));
  }));
