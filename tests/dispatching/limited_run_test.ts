import assert from "node:assert/strict";
import { runDispatcher } from "../../supabase/functions/_shared/dispatching/dispatcher.ts";
import { collectLog } from "../setup/stack/collect_log.ts";
import { eventually } from "../setup/eventually.ts";
import { statusesOf } from "../setup/fixtures/queue.ts";
import { TEST_ENV } from "../setup/stack/services.ts";
import { type Dispatching, withDispatching } from "./with_dispatching.ts";

async function countStatuses({ sql }: Dispatching, ids: string[]): Promise<Record<string, number>> {
  const groups = Map.groupBy(await statusesOf(sql, ids), (status) => status);
  return Object.fromEntries([...groups].map(([status, all]) => [status, all.length]));
}

async function assertTakenOnce(t: Dispatching, count: number): Promise<void> {
  assert.deepEqual([...(await t.taken()).values()], Array(count).fill(1));
}

Deno.test("a run of so many messages ends after them, with all of them recorded, and the next one goes on", () =>
  withDispatching(async (t) => {
    await t.sandbox.configure({ webhooks: false, latency_ms: 50 });
    const { ids } = await t.enqueue(100);
    const { signal } = new AbortController();
    const run = (maxMessages: number) =>
      runDispatcher(t.services, { signal, untilIdle: true, maxMessages, maxInFlight: 8 });

    const first = await run(30);
    const between = await countStatuses(t, ids);
    const second = await run(1000);

    assert.deepEqual(first, { sent: 30, ended: "max_messages" });
    assert.deepEqual(between, { sent: 30, queued: 70 });
    assert.deepEqual(second, { sent: 70, ended: "idle" });
    await assertTakenOnce(t, 100);
  }));

/** Calls `fn` with a service that sends when `POST /dispatch` is called, and what it logs about its runs. */
async function withCalledDispatcher(
  env: Record<string, string>,
  fn: (t: Dispatching & { call(): Promise<void>; runs(): unknown[] }) => Promise<void>,
): Promise<void> {
  const { log, entries } = collectLog();
  await withDispatching(
    (t) =>
      fn({
        ...t,
        async call() {
          const headers = { authorization: `Bearer ${TEST_ENV.OUTBOUND_DISPATCH_SECRET}` };
          assert.equal((await t.http.post("/dispatch", undefined, { headers })).status, 202);
        },
        runs: () =>
          entries.filter(({ message }) => message === "dispatch: a run has ended")
            .map(({ sent, reason }) => ({ sent, reason })),
      }),
    env,
    { log },
  );
}

Deno.test("POST /dispatch ends a run after OUTBOUND_DISPATCH_RUN_MESSAGES and logs so, and the next call goes on", () =>
  withCalledDispatcher({ OUTBOUND_DISPATCH_RUN_MESSAGES: "30" }, async (t) => {
    await t.sandbox.configure({ webhooks: false });
    await t.enqueue(70);
    const expected = [
      { sent: 30, reason: "max_messages" },
      { sent: 30, reason: "max_messages" },
      { sent: 10, reason: "idle" },
    ];

    for (const [index] of expected.entries()) {
      await t.call();
      await eventually(() => assert.deepEqual(t.runs(), expected.slice(0, index + 1)));
    }

    await assertTakenOnce(t, 70);
  }));

Deno.test("POST /dispatch ends a run when the runtime announces the worker's end: all it took is recorded, once", () =>
  withCalledDispatcher({ OUTBOUND_DISPATCH_RUN_MESSAGES: "1000" }, async (t) => {
    await t.sandbox.configure({ webhooks: false, latency_ms: 300 });
    const { ids } = await t.enqueue(400);
    await t.call();
    await eventually(async () => assert.ok((await countStatuses(t, ids)).sending! > 0));

    dispatchEvent(new CustomEvent("beforeunload", { detail: { reason: "cpu" } }));

    const [ended] = await eventually(() => {
      assert.equal(t.runs().length, 1);
      return t.runs() as { sent: number; reason: string }[];
    });
    const { sent, ...left } = await countStatuses(t, ids);
    assert.deepEqual(ended, { sent, reason: "cpu" });
    assert.deepEqual(left, { queued: 400 - sent! });
    await t.call();
    await eventually(async () => assert.deepEqual(await countStatuses(t, ids), { sent: 400 }));
    await assertTakenOnce(t, 400);
  }));
