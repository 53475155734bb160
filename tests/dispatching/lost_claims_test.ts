import assert from "node:assert/strict";
import { createServices, type Services } from "../../supabase/functions/_shared/services.ts";
import { statesOf } from "../setup/queue.ts";
import type { TestStack } from "../setup/stack.ts";
import { withProxy } from "./proxy.ts";
import { calledNumber } from "../setup/calling_company.ts";
import { withCalls } from "./with_calls.ts";
import { eventuallyAll, numberOf, withDispatching } from "./with_dispatching.ts";

/** Calls `fn` with a service that never receives the first response with this text: its connection breaks. */
async function losingAnswer(
  t: TestStack,
  text: string,
  fn: (services: Services, lost: () => number) => Promise<void>,
): Promise<void> {
  const url = new URL(t.databaseUrl);
  let lost = 0;
  const watch = () => ({
    fromClient: () => {},
    fromServer: (bytes: Uint8Array) => {
      if (lost > 0 || !new TextDecoder().decode(bytes).includes(text)) return;
      lost++;
      throw new Error("The connection breaks");
    },
  });
  await withProxy(Number(url.port), async (proxy) => {
    url.port = String(proxy.port);
    const services = createServices({ ...t.env, DATABASE_URL: url.href });
    try {
      await fn(services, () => lost);
    } finally {
      await services.close();
    }
  }, watch);
}

Deno.test("messages of a claim whose answer was lost leave at once, and it was no try", () =>
  withDispatching(async (t) => {
    const queued = await t.enqueue(5);

    await losingAnswer(t, numberOf(0), async (services, lost) => {
      await t.running(() => eventuallyAll(t, queued, "read", 20_000), services);
      assert.equal(lost(), 1);
    });

    const states = await statesOf(t.sql, queued.ids);
    assert.deepEqual(states.map(({ fence, attempt }) => [fence, attempt]), Array(5).fill([2, 1]));
    assert.equal((await t.taken()).size, 5);
  }));

Deno.test("calls of a claim whose answer was lost are made, once", () =>
  withCalls(async (t) => {
    const queued = await t.enqueueCalls({ numbers: [calledNumber(0)] });

    await losingAnswer(t, calledNumber(0), async (services, lost) => {
      await t.running(() => eventuallyAll(t, queued, "delivered", 20_000), services);
      assert.equal(lost(), 1);
    });

    const [state] = await statesOf(t.sql, queued.ids);
    assert.deepEqual([state?.fence, state?.attempt], [2, 1]);
    assert.equal((await t.sandbox.calls({ to: calledNumber(0) })).length, 1);
  }));
