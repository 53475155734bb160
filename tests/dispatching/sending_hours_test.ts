import assert from "node:assert/strict";
import { describeRecipient } from "../../supabase/functions/_shared/campaigns/recipients.ts";
import { readRecipientPage } from "../../supabase/functions/_shared/db/campaigns/recipients.ts";
import type postgres from "postgres";
import type { JsonObject } from "../setup/http/http.ts";
import { claim, finish, type Queued, statesOf, tickNow } from "../setup/fixtures/queue.ts";
import { withCalls } from "./with_calls.ts";
import { eventuallyAll, withDispatching } from "./with_dispatching.ts";

const HOUR_MS = 3_600_000;
const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

/** As wall-clock time in UTC, so many hours from now. */
function clock(hoursFromNow: number): string {
  return new Date(Date.now() + hoursFromNow * HOUR_MS).toISOString().slice(11, 16);
}

/** Hours that do not contain now, on whichever side of it they fit into the day. */
function closedNow(): [string, string] {
  return clock(0) < "12:00" ? [clock(2), clock(4)] : [clock(-4), clock(-2)];
}

interface Hours {
  window: [string, string];
  channel?: "any" | "whatsapp" | "voice";
  category?: "marketing" | "all";
}

/** Gives every company these hours, by the campaign's clock. */
async function setHours(
  sql: postgres.Sql,
  { window, channel = "any", category = "all" }: Hours,
): Promise<void> {
  const windows = Object.fromEntries(DAYS.map((day) => [day, [window]]));
  const rules = [{ channel, category, zone: "campaign", windows, holidays: null }];
  await sql`
    insert into outbound.contact_rules (company_id, sending_hours)
    select id, ${sql.json(rules)} from outbound.companies
    on conflict (company_id) do update set sending_hours = excluded.sending_hours`;
}

Deno.test("a call due outside the company's hours waits for them, untried, and is made then", () =>
  withCalls(async (t) => {
    await setHours(t.sql, { window: closedNow(), channel: "voice" });
    const queued = await t.enqueueCalls({ count: 3, ttlS: 600, timezone: "UTC" });
    await t.dispatch();
    const waiting = await statesOf(t.sql, queued.ids);
    await t.later(900);
    await tickNow(t.sql);

    await setHours(t.sql, { window: ["00:00", "24:00"], channel: "voice" });
    await t.later(waiting[0]!.waits_s - 899);
    await tickNow(t.sql);
    await t.running(() => eventuallyAll(t, queued, "delivered"));

    assert.ok(
      waiting.every(({ status, attempt, waits_s }) => status === "queued" && attempt === 0 && waits_s > 3000),
    );
    assert.equal((await t.sandbox.calls()).length, 3);
  }));

Deno.test("calls of companies without hours, and messages, go out at any time", () =>
  withCalls(async (t) => {
    const queued = await t.enqueueCalls({ count: 2, timezone: "Asia/Tokyo" });

    await t.running(() => eventuallyAll(t, queued, "delivered"));

    assert.equal((await t.sandbox.calls()).length, 2);
  }));

Deno.test("messages go out outside the hours of calls", () =>
  withDispatching(async (t) => {
    await setHours(t.sql, { window: closedNow(), channel: "voice" });
    const queued = await t.enqueue(2);

    await t.running(() => eventuallyAll(t, queued, "read"));

    assert.equal((await t.taken()).size, 2);
  }));

Deno.test("a message due outside its hours waits for them, untried, and leaves then", () =>
  withDispatching(async (t) => {
    await setHours(t.sql, { window: closedNow(), channel: "whatsapp" });
    const queued = await t.enqueue(3, { ttlS: 600 });
    await t.dispatch();
    const waiting = await statesOf(t.sql, queued.ids);
    const shown = (await readRecipientPage(t.sql, { ...queued, companyId: t.company.id, limit: 3 })).rows
      .map(describeRecipient);
    await t.later(900);
    await tickNow(t.sql);
    const sentTooEarly = (await t.taken()).size;

    await setHours(t.sql, { window: ["00:00", "24:00"], channel: "whatsapp" });
    await t.later(waiting[0]!.waits_s - 899);
    await tickNow(t.sql);
    await t.running(() => eventuallyAll(t, queued, "read"));

    assert.ok(
      waiting.every(({ status, attempt, waits_s }) => status === "queued" && attempt === 0 && waits_s > 3000),
    );
    assert.deepEqual([sentTooEarly, (await t.taken()).size], [0, 3]);
    for (const { reason, until } of shown) {
      assert.equal(reason, "Outside the company's sending hours: it leaves when they begin");
      assert.ok(Date.parse(until!) > Date.now() + 2_000_000);
    }
  }));

Deno.test("GET /notify/status says why nothing leaves, and until when, once all that is left waits", () =>
  withDispatching(async (t) => {
    await setHours(t.sql, { window: closedNow() });
    const status = async ({ campaignId }: Queued) =>
      (await t.http.get(`/notify/status?access_key=${t.key.key}&campaign_id=${campaignId}`)).body;
    const queued = await t.enqueue(3, { ttlS: 600 });
    assert.equal((await status(queued)).wait, undefined);

    await t.dispatch();
    const { status: state, wait } = await status(queued);
    const { body: { recipients } } = await t.http.get(
      `/manage/companies/mine/campaigns/${queued.campaignId}/recipients?access_key=${t.key.key}&code=sending_hours`,
    );
    assert.deepEqual([state, wait.reason], ["sending", "sending_hours"]);
    assert.ok(Date.parse(wait.since) <= Date.now() && Date.parse(wait.until) > Date.now() + 2_000_000);
    const untils = recipients.map(({ until }: JsonObject) => until).toSorted();
    assert.deepEqual([untils.length, untils[0]], [3, wait.until]);

    await t.sql`update outbound.queue set error_code = null, error_reason = null
      where id = ${queued.ids[0]!}`;
    assert.equal((await status(queued)).wait, undefined, "one of them has no reason to wait");

    await setHours(t.sql, { window: ["00:00", "24:00"] });
    await t.later((Date.parse(wait.until) - Date.now()) / 1000 + 1);
    await t.running(() => eventuallyAll(t, queued, "read"));
    assert.equal((await status(queued)).wait, undefined);
  }));

Deno.test("GET /notify/status names the platform's refusal, and no reason while something is on its way", () =>
  withDispatching(async (t) => {
    const status = async ({ campaignId }: Queued) =>
      (await t.http.get(`/notify/status?access_key=${t.key.key}&campaign_id=${campaignId}`)).body;
    const queued = await t.enqueue(2);
    const [first, second] = await claim(t.sql, { limit: 2 });
    const refused = { outcome: "retry", retry_in_s: 60, error_code: "131056", reason: "Too many" } as const;

    await finish(t.sql, [first!], refused);
    assert.equal((await status(queued)).wait, undefined);
    await finish(t.sql, [second!], { ...refused, retry_in_s: 30 });

    const { wait } = await status(queued);
    assert.equal(wait.reason, "platform_refused");
    const inS = (Date.parse(wait.until) - Date.now()) / 1000;
    assert.ok(inS < 31, "the first that leaves counts");
  }));

Deno.test("hours of marketing hold marketing alone: by the template's category, whatever the request calls it", () =>
  withDispatching(async (t) => {
    await setHours(t.sql, { window: closedNow(), category: "marketing" });
    const utility = await t.enqueue(2, { type: "utility" });
    const marketing = await t.enqueue(2, { type: "marketing" });
    await t.running(() => eventuallyAll(t, utility, "read"));

    const change = (category: string) => t.sql`update outbound.templates set category = ${category}`;
    await change("MARKETING");
    const promoted = await t.enqueue(2, { type: "utility" });
    await t.dispatch();

    const held = await statesOf(t.sql, [...marketing.ids, ...promoted.ids]);
    assert.ok(held.every(({ status, waits_s }) => status === "queued" && waits_s > 3000));
    await change("UTILITY");
    const named = await t.enqueue(2, { type: "marketing" });
    await t.running(() => eventuallyAll(t, named, "read"));
    assert.equal((await t.taken()).size, 4);
  }));

Deno.test("rules that cannot be read hold what they may be about", () =>
  withDispatching(async (t) => {
    await t.sql`
      insert into outbound.contact_rules (company_id, sending_hours)
      select id, '[{"channel": "pigeon"}]' from outbound.companies`;
    const queued = await t.enqueue(1);
    await t.dispatch();

    const [held] = await statesOf(t.sql, queued.ids);
    assert.ok(held?.status === "queued" && held.waits_s > 3000);
  }));
