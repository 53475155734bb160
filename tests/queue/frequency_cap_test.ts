import assert from "node:assert/strict";
import type postgres from "postgres";
import { type CappedSend, useFrequencyCaps } from "../../supabase/functions/_shared/db/frequency_caps.ts";
import { withTestDatabase } from "../setup/database.ts";
import { claim, enqueue, finish, insertSendingCompany, type SendingCompany } from "../setup/queue.ts";

const NUMBER = "59171000100";

interface Setup {
  sql: postgres.Sql;
  company: SendingCompany;
  /** Claims as many messages as there will be sends; returns their ids. */
  claimed(count: number): Promise<string[]>;
  use(notificationId: string, overrides?: Partial<CappedSend>): Promise<boolean>;
}

async function setUp(sql: postgres.Sql): Promise<Setup> {
  const company = await insertSendingCompany(sql);
  return {
    sql,
    company,
    async claimed(count) {
      const { ids } = await enqueue(sql, company, { count, type: "marketing" });
      await claim(sql);
      return ids;
    },
    use: async (notification_id, overrides = {}) => {
      const [isOver] = await useFrequencyCaps(sql, [sendOf(company.id, notification_id, overrides)]);
      return isOver!;
    },
  };
}

function sendOf(
  company_id: string,
  notification_id: string,
  overrides: Partial<CappedSend> = {},
): CappedSend {
  return {
    company_id,
    notification_id,
    number: NUMBER,
    user_id: null,
    channel: "whatsapp",
    day: "2030-01-15",
    caps: [{ channel: "any", max: 2, days: 7 }],
    ...overrides,
  };
}

Deno.test("use_frequency_cap() counts up to the cap, in one batch or in several", () =>
  withTestDatabase(async ({ sql }) => {
    const { company, claimed, use } = await setUp(sql);
    const ids = await claimed(4);

    const batch = await useFrequencyCaps(sql, ids.slice(0, 3).map((id) => sendOf(company.id, id)));

    assert.deepEqual(batch, [false, false, true]);
    assert.equal(await use(ids[3]!), true);
  }));

Deno.test("use_frequency_cap() counts per person and company", () =>
  withTestDatabase(async ({ sql }) => {
    const { claimed, use } = await setUp(sql);
    const other = await setUp(sql);
    const [first, second] = await claimed(2);
    const [foreign] = await other.claimed(1);
    const caps = [{ channel: "any", max: 1, days: 1 } as const];

    assert.equal(await use(first!, { caps }), false);
    assert.equal(await use(second!, { caps, number: "59171000101" }), false);
    assert.equal(await other.use(foreign!, { caps }), false);
  }));

Deno.test("use_frequency_cap() counts calendar days, today included", () =>
  withTestDatabase(async ({ sql }) => {
    const { claimed, use } = await setUp(sql);
    const [first, second, third] = await claimed(3);
    const caps = [{ channel: "any", max: 1, days: 7 } as const];

    assert.equal(await use(first!, { caps, day: "2030-01-15" }), false);
    assert.equal(await use(second!, { caps, day: "2030-01-21" }), true);
    assert.equal(await use(third!, { caps, day: "2030-01-22" }), false);
  }));

Deno.test("use_frequency_cap() does not count a retry twice, and moves it to its day", () =>
  withTestDatabase(async ({ sql }) => {
    const { claimed, use } = await setUp(sql);
    const [first, second] = await claimed(2);
    const caps = [{ channel: "any", max: 1, days: 1 } as const];

    assert.equal(await use(first!, { caps }), false);
    assert.equal(await use(first!, { caps }), false);
    assert.equal(await use(first!, { caps, day: "2030-01-16" }), false);
    assert.equal(await use(second!, { caps, day: "2030-01-16" }), true);
    assert.equal(await use(second!, { caps, day: "2030-01-15" }), true);
    assert.equal(await use(second!, { caps, day: "2030-01-17" }), false);
  }));

Deno.test("use_frequency_cap() counts only messages that left or are leaving", () =>
  withTestDatabase(async ({ sql }) => {
    const caps = [{ channel: "any", max: 1, days: 1 } as const];
    const cases = [
      ["sent", true],
      ["unknown", true],
      ["failed", false],
      ["retry", false],
    ] as const;
    for (const [outcome, counts] of cases) {
      const { company, use } = await setUp(sql);
      await enqueue(sql, company, { count: 2, type: "marketing" });
      const [first, second] = await claim(sql);
      assert.equal(await use(first!.id, { caps }), false);
      await finish(sql, [first!], { outcome, retry_in_s: outcome === "retry" ? 60 : null });

      assert.equal(await use(second!.id, { caps }), counts, outcome);
    }
  }));

Deno.test("use_frequency_cap() applies caps of a channel to that channel alone", () =>
  withTestDatabase(async ({ sql }) => {
    const { claimed, use } = await setUp(sql);
    const [first, second, third] = await claimed(3);
    const caps: CappedSend["caps"] = [{ channel: "whatsapp", max: 1, days: 1 }, {
      channel: "any",
      max: 2,
      days: 1,
    }];

    assert.equal(await use(first!, { caps }), false);
    assert.equal(await use(second!, { caps, channel: "voice" }), false);
    assert.equal(await use(third!, { caps }), true);
    assert.equal(await use(third!, { caps, channel: "voice" }), true);
    assert.equal(await use(third!, { caps: caps.slice(0, 1), channel: "voice" }), false);
  }));

Deno.test("use_frequency_cap() knows a person by number and by user id", () =>
  withTestDatabase(async ({ sql }) => {
    const { company, claimed, use } = await setUp(sql);
    const [first, second, third] = await claimed(3);
    const caps = [{ channel: "any", max: 1, days: 1 } as const];

    assert.equal(await use(first!, { caps, number: null, user_id: "BO.1349" }), false);
    assert.equal(await use(second!, { caps }), false);
    await sql`select outbound.link_user_id(${company.id}, 'BO.1349', ${NUMBER}, null, now())`;
    assert.equal(await use(third!, { caps }), true);
    assert.equal(await use(third!, { caps, number: null, user_id: "BO.1349" }), true);
  }));
