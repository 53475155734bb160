import assert from "node:assert/strict";
import { calledNumber, goingOn } from "../setup/fixtures/calling_company.ts";
import { statesOf, statusesOf, tickNow } from "../setup/fixtures/queue.ts";
import { eventually } from "../setup/eventually.ts";
import { eventuallyAll } from "./with_dispatching.ts";
import { type Calling, withCalls } from "./with_calls.ts";

/** Responses take less than a second, and calls without a report are checked at once. */
const QUICKLY = { env: { OUTBOUND_SEND_TIMEOUT_S: "1", OUTBOUND_CALL_CHECK_AFTER_S: "1" } };

/** After each of these the call was made, but the service received no response. */
const MADE = ["hang", "drop", "invalid_json", "null_ids", { http: 500, accepted: true }, {
  http: 503,
  accepted: true,
}];

/** How often each number was called. */
async function timesCalled({ sandbox }: Calling): Promise<Record<string, number>> {
  const times: Record<string, number> = {};
  for (const { to } of await sandbox.calls()) times[to] = (times[to] ?? 0) + 1;
  return times;
}

async function faultEach({ sandbox }: Calling, faults: unknown[]): Promise<void> {
  for (const [index, fault] of faults.entries()) {
    await sandbox.addVoiceFault({ match: { to: calledNumber(index) }, fault });
  }
}

function onceEach(count: number): Record<string, number> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`+${calledNumber(index)}`, 1]));
}

Deno.test("a call whose start was never answered is settled by the platform's event, and made once", () =>
  withCalls(async (t) => {
    await faultEach(t, MADE);
    const queued = await t.enqueueCalls({ count: MADE.length });

    await t.running(() => eventuallyAll(t, queued, "delivered"));

    assert.deepEqual(await timesCalled(t), onceEach(MADE.length));
  }, { env: { OUTBOUND_SEND_TIMEOUT_S: "1" } }));

Deno.test("a call whose start got no response and no event is found by asking, and made once", () =>
  withCalls(async (t) => {
    await t.sandbox.configureVoice({ webhooks: false });
    await faultEach(t, MADE);
    const queued = await t.enqueueCalls({ count: MADE.length });

    await t.running(() => eventuallyAll(t, queued, "delivered"));

    assert.deepEqual(await timesCalled(t), onceEach(MADE.length));
  }, QUICKLY));

Deno.test("a call that cannot be found fails after the window and is never made again, whatever the company says", () =>
  withCalls(async (t) => {
    await t.sql`update outbound.companies set on_unknown = 'resend'`;
    await faultEach(t, ["drop_before", { http: 500 }, { http: 502, body: "Bad gateway" }]);
    const queued = await t.enqueueCalls({ count: 3 });
    await t.dispatch();
    const unknown = await statusesOf(t.sql, queued.ids);
    await t.later(121);
    await tickNow(t.sql);
    await t.dispatch();

    const states = await statesOf(t.sql, queued.ids);
    assert.deepEqual(unknown, ["unconfirmed", "unconfirmed", "unconfirmed"]);
    assert.ok(
      states.every(({ status, error_code, attempt }) =>
        status === "failed" && error_code === "outcome_unknown" && attempt === 1
      ),
    );
    assert.deepEqual(await timesCalled(t), {});
    assert.equal(await goingOn(t.sql, t.calling.sender.id), 0);
  }, { env: { OUTBOUND_SEND_TIMEOUT_S: "1" } }));

Deno.test("an event that comes before the call's response counts, and so does the response", () =>
  withCalls(async (t) => {
    await t.sandbox.setOutcome({ to: calledNumber(1), outcome: "busy" });
    await t.sandbox.addVoiceFault({ fault: "early_webhook" });
    const { ids } = await t.enqueueCalls({ count: 2 });

    // An event without a reference is joined to its call by the platform's id, some seconds later.
    await t.running(() =>
      eventually(async () => assert.deepEqual(await statusesOf(t.sql, ids), ["delivered", "failed"]), 15_000)
    );

    const [, busy] = await statesOf(t.sql, ids);
    assert.equal(busy?.error_code, "busy");
    assert.deepEqual(await timesCalled(t), onceEach(2));
  }));

Deno.test("calls whose events were lost are polled", () =>
  withCalls(async (t) => {
    await t.sandbox.setOutcome({ to: calledNumber(1), outcome: "no_answer", lost: true });
    await t.sandbox.setOutcome({ to: calledNumber(0), outcome: "answered", lost: true });
    const { ids } = await t.enqueueCalls({ count: 2 });

    await t.running(() =>
      eventually(async () => assert.deepEqual(await statusesOf(t.sql, ids), ["delivered", "failed"]))
    );

    const [, missed] = await statesOf(t.sql, ids);
    assert.equal(missed?.error_code, "no_answer");
  }, QUICKLY));

Deno.test("a call is polled in vain while it goes on, and again when it is over", () =>
  withCalls(async (t) => {
    await t.sandbox.configureVoice({ webhooks: false, talk_ms: 4000 });
    await t.sandbox.addVoiceFault({ fault: "drop" });
    const queued = await t.enqueueCalls();

    await t.running(async () => {
      await eventuallyAll(t, queued, "sent");
      assert.equal(await goingOn(t.sql, t.calling.sender.id), 1);
      await eventuallyAll(t, queued, "delivered");
    });

    assert.equal((await t.sandbox.calls()).length, 1);
  }, QUICKLY));

Deno.test("a call that never ends anywhere fails, and its line is free again", () =>
  withCalls(async (t) => {
    await t.sandbox.configureVoice({ webhooks: false, talk_ms: 3_600_000 });
    const queued = await t.enqueueCalls();
    await t.dispatch();
    assert.deepEqual(await statusesOf(t.sql, queued.ids), ["sent"]);
    await t.later(14_401);

    await t.dispatch();

    const [state] = await statesOf(t.sql, queued.ids);
    assert.deepEqual([state?.status, state?.error_code], ["failed", "outcome_unknown"]);
    assert.match(state?.error_reason ?? "", /never said how it ended/);
    assert.equal(await goingOn(t.sql, t.calling.sender.id), 0);
  }));

Deno.test("a call that cannot be prepared was not sent: it waits with that reason, and its sender calls others", () =>
  withCalls(async (t) => {
    const [broken, whole] = [await t.enqueueCalls({ count: 1 }), await t.enqueueCalls({ count: 1 })];
    await t.sql`update outbound.notification_facts set message = '[]' where id = ${broken.ids[0]!}`;

    await t.running(() => eventuallyAll(t, whole, "delivered"));

    const attempts = await t.sql`
      select outcome, reason from outbound.delivery_attempts where notification_id = ${broken.ids[0]!}`;
    assert.ok(attempts.length > 0);
    for (const { outcome, reason } of attempts) {
      assert.deepEqual([outcome, /could not be prepared/.test(reason)], ["not_sent", true]);
    }
    assert.deepEqual(await statusesOf(t.sql, broken.ids), ["queued"]);
    const [pace] = await t.sql`select failures from outbound.sender_rate_state
      where sender_id = ${t.calling.sender.id}`;
    assert.equal(pace?.failures ?? 0, 0);
  }));

Deno.test("a platform that cannot be reached costs calls no attempts, and no recipient is called twice when it is back", () =>
  withCalls(async (t) => {
    const down = { ...t.services, env: { ...t.services.env, ELEVENLABS_API_URL: "http://127.0.0.1:9" } };
    const queued = await t.enqueueCalls({ count: 5 });
    await t.running(() =>
      eventually(async () => {
        const [pace] = await t.sql`select failures from outbound.sender_rate_state
          where sender_id = ${t.calling.sender.id}`;
        assert.ok(pace?.failures >= 5);
      }), down);
    const states = await statesOf(t.sql, queued.ids);
    assert.ok(states.every(({ status, attempt }) => status === "queued" && attempt === 0));

    await t.later(100);
    await t.running(() => eventuallyAll(t, queued, "delivered"));

    assert.deepEqual(await timesCalled(t), onceEach(5));
  }));
