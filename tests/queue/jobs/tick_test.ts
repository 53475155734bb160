import assert from "node:assert/strict";
import { withTestDatabase } from "../../setup/database/database.ts";
import {
  assertConserved,
  claim,
  countersOf,
  enqueue,
  finish,
  insertSendingCompany,
  letTimePass,
  type RequestOverrides,
  statesOf,
  statusesOf,
  tickNow,
  tickWithoutProbe,
} from "../../setup/fixtures/queue.ts";

const NOTHING = { rescued: 0, resent: 0, failed_unknown: 0, expired: 0, repaired_turns: 0 };

Deno.test("tick() on an empty queue does nothing", () =>
  withTestDatabase(async ({ sql }) => {
    assert.deepEqual(await tickNow(sql), NOTHING);
  }));

Deno.test("a scheduled notification is queued once it is due, without a tick", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const soon = await enqueue(sql, company, { dueInS: 10, count: 2 });
    const later = await enqueue(sql, company, { dueInS: 100 });
    await letTimePass(sql, 11);

    assert.deepEqual(await statusesOf(sql, [...soon.ids, ...later.ids]), ["queued", "queued", "scheduled"]);
    await assertConserved(sql);
  }));

Deno.test("tick() takes no more than its limit, the longest due first", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const late = await enqueue(sql, company, { ttlS: 20 });
    const early = await enqueue(sql, company, { ttlS: 10 });
    await letTimePass(sql, 30);

    await tickWithoutProbe(sql, { limit: 1 });

    assert.deepEqual(await statusesOf(sql, [...early.ids, ...late.ids]), ["failed", "queued"]);
  }));

Deno.test("tick() rescues what a dead worker held, and says so in the record", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { campaignId, ids } = await enqueue(sql, company, { count: 2 });
    const [lost] = await claim(sql, { leaseS: 5, limit: 1 });
    const [held] = await claim(sql, { leaseS: 50, limit: 1 });
    await letTimePass(sql, 6);

    assert.deepEqual(await tickNow(sql), { ...NOTHING, rescued: 1 });
    assert.deepEqual(await statusesOf(sql, [lost!.id, held!.id]), ["unconfirmed", "sending"]);
    assert.deepEqual(await countersOf(sql, campaignId), { processing: 2 });
    const attempts =
      await sql`select notification_id, attempt, fence, outcome from outbound.delivery_history`;
    assert.deepEqual([...attempts], [{
      notification_id: lost!.id,
      attempt: 1,
      fence: 1,
      outcome: "unknown",
    }]);
    assert.equal(ids.length, 2);
  }));

Deno.test("tick() sends again what the platform was silent about, after the window", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { campaignId, ids } = await enqueue(sql, company);
    await finish(sql, await claim(sql), { outcome: "unknown" }, { windowS: 120 });
    await letTimePass(sql, 100);
    const early = await tickNow(sql);
    await letTimePass(sql, 21);

    const late = await tickNow(sql);

    assert.deepEqual([early, late], [NOTHING, { ...NOTHING, resent: 1 }]);
    assert.deepEqual(await statusesOf(sql, ids), ["queued"]);
    assert.deepEqual(await countersOf(sql, campaignId), { pending: 1 });
    assert.equal((await claim(sql)).length, 1);
  }));

Deno.test("tick() holds back what may have been sent when the company wants it so", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql, { onUnknown: "hold" });
    const { campaignId, ids } = await enqueue(sql, company);
    await finish(sql, await claim(sql), { outcome: "unknown" });
    await letTimePass(sql, 121);

    assert.deepEqual(await tickNow(sql), { ...NOTHING, failed_unknown: 1 });
    const [state] = await statesOf(sql, ids);
    assert.deepEqual([state?.status, state?.error_code], ["failed", "outcome_unknown"]);
    assert.deepEqual(await countersOf(sql, campaignId), { failed: 1 });
  }));

Deno.test("tick() fails a message on its fifth unknown outcome", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { ids } = await enqueue(sql, company);
    for (let n = 1; n <= 5; n++) {
      const claimed = await claim(sql);
      assert.equal(claimed[0]?.attempt, n);
      await finish(sql, claimed, { outcome: "unknown" });
      await letTimePass(sql, 121);
      await tickNow(sql);
    }

    const [state] = await statesOf(sql, ids);
    assert.deepEqual([state?.status, state?.attempt, state?.error_code], ["failed", 5, "outcome_unknown"]);
    assert.deepEqual(await claim(sql), []);
    await assertConserved(sql);
  }));

Deno.test("tick() sends nothing again that has outlived its use", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { ids } = await enqueue(sql, company, { ttlS: 100 });
    await finish(sql, await claim(sql), { outcome: "unknown" });
    await letTimePass(sql, 121);

    assert.deepEqual(await tickNow(sql), { ...NOTHING, failed_unknown: 1 });
    assert.deepEqual(await statusesOf(sql, ids), ["failed"]);
  }));

Deno.test("tick() fails what waited too long, with the last refusal as part of the reason", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const tried = await enqueue(sql, company, { ttlS: 60 });
    await finish(sql, await claim(sql), { outcome: "retry", retry_in_s: 600, reason: "Overloaded" });
    const untried = await enqueue(sql, company, { ttlS: 60 });
    const scheduled = await enqueue(sql, company, { ttlS: 60, dueInS: 10 });
    const alive = await enqueue(sql, company, { ttlS: 600 });
    await letTimePass(sql, 71);

    const did = await tickNow(sql);

    assert.equal(did.expired, 3);
    const states = await statesOf(sql, [tried, untried, scheduled, alive].flatMap(({ ids }) => ids));
    assert.deepEqual(states.map(({ status, error_code }) => [status, error_code]), [
      ["failed", "expired"],
      ["failed", "expired"],
      ["failed", "expired"],
      ["queued", null],
    ]);
    assert.match(states[0]!.error_reason!, /: Overloaded$/);
    assert.doesNotMatch(states[1]!.error_reason!, /:/);
    await assertConserved(sql);
  }));

Deno.test("tick() does everything at once, and the counters agree", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const holding = await insertSendingCompany(sql, { onUnknown: "hold" });
    const both = async (options: RequestOverrides) => {
      for (const each of [company, holding]) await enqueue(sql, each, { count: 2, ...options });
    };
    await both({});
    await finish(sql, await claim(sql), { outcome: "unknown" });
    await letTimePass(sql, 60);
    await both({});
    await claim(sql, { leaseS: 1 });
    await both({ ttlS: 10 });
    await both({ dueInS: 20 });
    await letTimePass(sql, 61);

    assert.deepEqual(await tickNow(sql), {
      ...NOTHING,
      rescued: 4,
      resent: 2,
      failed_unknown: 2,
      expired: 4,
    });
    await assertConserved(sql);
  }));

Deno.test("tick() records when it ran", () =>
  withTestDatabase(async ({ sql }) => {
    await tickNow(sql);
    const [row] = await sql`
      select now() - updated_at < interval '30 seconds' as fresh from outbound.settings where name = 'last_tick:dispatcher'`;

    assert.equal(row?.fresh, true);
  }));
