import assert from "node:assert/strict";
import { enqueueCalls } from "../../setup/fixtures/calling_company.ts";
import { eventually } from "../../setup/eventually.ts";
import { printFigures } from "../figures.ts";
import { type CallingEnvironment, withCallingPool } from "./with_calling_pool.ts";

const DISPATCHERS = 3;
const LINES = 20;
const CALLS = 1000;
const TALK_MS = 100;
const KILLS = 12;
const MAX_PAUSE_MS = 300;
const SEND_MS = 60_000;

Deno.test("1,000 calls over 20 lines by three dispatchers: never a 21st at once, all made and over, each once", () =>
  withCallingPool({ dispatchers: DISPATCHERS, concurrency: LINES }, async (t) => {
    await t.platform.configure({ talk_ms: TALK_MS });
    await enqueueCalls(t.sql, t.calling, { count: CALLS });
    const started = performance.now();
    await t.settle();
    const seconds = (performance.now() - started) / 1000;
    await t.pool.stop();

    const { most_at_once } = await t.platform.voiceStats();
    const calls = await t.platform.calls({ limit: String(CALLS + 1) });
    printFigures(`${CALLS} calls over ${LINES} lines`, {
      "calls per second": (CALLS / seconds).toFixed(1),
      "at best": (LINES / TALK_MS * 1000).toFixed(1),
      "most at once": most_at_once,
    });
    assert.ok(most_at_once <= LINES, `${most_at_once} at once`);
    assert.equal(calls.length, CALLS);
    assert.equal(new Set(calls.map(({ to }) => to)).size, CALLS);
    const [row] = await t.sql`select count(*)::int from outbound.notifications where status = 'delivered'`;
    assert.equal(row?.count, CALLS);
  }));

async function assertSending({ sql }: CallingEnvironment): Promise<void> {
  const [row] = await sql`select count(*)::int from outbound.notifications where status = 'sending'`;
  assert.ok(row!.count > 0, "no call is being started");
}

async function restart({ platform }: CallingEnvironment): Promise<void> {
  await platform.goDown();
  await new Promise((resolve) => setTimeout(resolve, MAX_PAUSE_MS));
  await platform.comeBack();
}

Deno.test("dispatchers and platform are killed while calls are being started: no recipient is called twice, no line is lost", () =>
  withCallingPool({ dispatchers: DISPATCHERS, concurrency: LINES }, async (t) => {
    await t.platform.configure({ talk_ms: TALK_MS, latency_ms: 200 });
    await t.platform.addVoiceFault({ probability: 0.2, fault: "lose" });
    await enqueueCalls(t.sql, t.calling, { count: 300 });
    await eventually(() => assertSending(t), SEND_MS);
    for (let kill = 0; kill < KILLS; kill++) {
      // The first take every dispatcher that has calls in flight by now; those that follow may still be starting.
      if (kill >= DISPATCHERS) {
        await new Promise((resolve) => setTimeout(resolve, Math.random() * MAX_PAUSE_MS));
      }
      await t.pool.killOne();
      if (kill === KILLS / 2) await restart(t);
    }
    await t.settle();
    await t.pool.stop();

    const calls = await t.platform.calls({ limit: "1000" });
    const { most_at_once } = await t.platform.voiceStats();
    const states = await t.sql<
      { number: string; status: string; error_code: string | null; answered: boolean }[]
    >`
      select n.number, n.status, n.error_code, exists (
        select 1 from outbound.delivery_history as a where a.notification_id = n.id and a.outcome = 'sent'
      ) as answered
      from outbound.notifications as n`;
    const unanswered = states.filter(({ answered }) => !answered).length;
    printFigures(`${KILLS} x kill -9 and a platform killed while calling`, {
      ...{ calls: calls.length, "calls whose answer was lost": unanswered, "most at once": most_at_once },
    });
    const called = new Set(calls.map(({ to }) => to));
    assert.equal(called.size, calls.length, "a recipient was called twice");
    assert.ok(most_at_once <= LINES, `${most_at_once} at once`);
    for (const { number, status, error_code } of states) {
      const expected = called.has(`+${number}`) ? ["delivered", null] : ["failed", "outcome_unknown"];
      assert.deepEqual([status, error_code], expected, number);
    }
    assert.ok(unanswered > 0, "no kill hit a call in flight");
  }));
