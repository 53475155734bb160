import assert from "node:assert/strict";
import type postgres from "postgres";
import {
  type CappedSend,
  useFrequencyCaps,
} from "../../../supabase/functions/_shared/db/queue/frequency_caps.ts";
import { withTestDatabase } from "../../setup/database/database.ts";
import {
  claim,
  enqueue,
  eventOf,
  finish,
  insertSendingCompany,
  letTimePass,
  report,
  type SendingCompany,
  statusesOf,
  tickNow,
} from "../../setup/fixtures/queue.ts";

const NUMBER = "59171000100";

type Caps = CappedSend["caps"];
/** Caps without `since` look at days alone. */
type Overrides = Partial<Omit<CappedSend, "caps">> & {
  caps?: (Omit<Caps[number], "since"> & Partial<Caps[number]>)[];
};

interface Setup {
  sql: postgres.Sql;
  company: SendingCompany;
  /** Claims as many messages as there will be sends; returns their ids. */
  claimed(count: number): Promise<string[]>;
  use(notificationId: string, overrides?: Overrides): Promise<boolean>;
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
  overrides: Overrides = {},
): CappedSend {
  const send = {
    company_id,
    notification_id,
    number: NUMBER,
    user_id: null,
    channel: "whatsapp",
    day: "2030-01-15",
    caps: [{ channel: "any", max: 2, days: 7 }],
    ...overrides,
  };
  return send as CappedSend;
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

/** A marketing message of a person, tried once with an unknown outcome, after the platform's silence. */
async function sendWithUnknownOutcome(
  { sql, company, use }: Setup,
  overrides: Overrides,
): Promise<{ id: string; campaignId: string }> {
  const { ids, campaignId } = await enqueue(sql, company, { type: "marketing" });
  const claimed = await claim(sql);
  assert.equal(await use(ids[0]!, overrides), false);
  await finish(sql, claimed, { outcome: "unknown" });
  await letTimePass(sql, 121);
  await tickNow(sql);
  return { id: ids[0]!, campaignId };
}

Deno.test("use_frequency_cap() counts what may have been received, whatever became of the message", () =>
  withTestDatabase(async ({ sql }) => {
    const caps = [{ channel: "any", max: 1, days: 1 } as const];
    const becomes: Record<string, (setup: Setup, campaignId: string) => unknown> = {
      failed: ({ company }) =>
        sql`update outbound.companies set on_unknown = 'hold' where id = ${company.id}`,
      queued: () => {},
      cancelled: ({ company }, id) => sql`select outbound.cancel_campaign(${company.id}, ${id})`,
      skipped: async () =>
        await finish(sql, await claim(sql), { outcome: "skipped", error_code: "no_consent" }),
    };
    for (const [status, make] of Object.entries(becomes)) {
      const setup = await setUp(sql);
      if (status === "failed") await make(setup, "");
      const { id, campaignId } = await sendWithUnknownOutcome(setup, { caps });
      if (status !== "failed") await make(setup, campaignId);
      assert.deepEqual(await statusesOf(sql, [id]), [status]);

      assert.equal(await setup.use(crypto.randomUUID(), { caps }), true, status);

      await report(sql, [eventOf(setup.company.id, id, "failed")]);
      assert.equal(await setup.use(crypto.randomUUID(), { caps }), false, `${status}, and it never arrived`);
      await sql`select outbound.cancel_queued(array[${setup.company.id}::uuid], array[${id}::uuid])`;
    }
  }));

Deno.test("use_frequency_cap() still counts an unknown attempt when the next one is over a cap", () =>
  withTestDatabase(async ({ sql }) => {
    const setup = await setUp(sql);
    const caps: Overrides["caps"] = [{ channel: "any", max: 1, days: 1 }, {
      channel: "any",
      max: 2,
      days: 7,
    }];
    const { id } = await sendWithUnknownOutcome(setup, { caps, day: "2030-01-15" });
    await claim(sql);
    const [other] = await setup.claimed(1);
    assert.equal(await setup.use(other!, { caps, day: "2030-01-16" }), false);
    assert.equal(await setup.use(id, { caps, day: "2030-01-16" }), true);

    assert.equal(await setup.use(crypto.randomUUID(), { caps, day: "2030-01-17" }), true);
  }));

Deno.test("use_frequency_cap() applies caps of a channel to that channel alone", () =>
  withTestDatabase(async ({ sql }) => {
    const { claimed, use } = await setUp(sql);
    const [first, second, third] = await claimed(3);
    const caps: Overrides["caps"] = [{ channel: "whatsapp", max: 1, days: 1 }, {
      channel: "any",
      max: 2,
      days: 1,
    }];

    assert.equal(await use(first!, { caps }), false);
    assert.equal(await use(second!, { caps, channel: "voice" }), false);
    assert.equal(await use(third!, { caps }), true);
    assert.equal(await use(third!, { caps, channel: "voice" }), true);
    assert.equal(await use(third!, { caps: caps!.slice(0, 1), channel: "voice" }), false);
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

Deno.test("use_frequency_cap() counts what a person was sent today under an earlier date of another zone", () =>
  withTestDatabase(async ({ sql }) => {
    const { company, claimed, use } = await setUp(sql);
    const [first, second, third] = await claimed(3);
    await sql`select outbound.link_user_id(${company.id}, 'US.1349', ${NUMBER}, null, now())`;
    const capSince = (since: Date) => [{ channel: "any" as const, max: 1, days: 1, since }];
    const [hourAgo, hourAhead] = [-1, 1].map((hours) => new Date(Date.now() + hours * 3_600_000));
    const byUserId = { number: null, user_id: "US.1349", day: "2030-01-14" };

    assert.equal(await use(first!, { ...byUserId, caps: capSince(hourAgo!) }), false);
    assert.equal(await use(second!, { day: "2030-01-15", caps: capSince(hourAgo!) }), true);
    assert.equal(await use(third!, { day: "2030-01-15", caps: capSince(hourAhead!) }), false);
  }));
