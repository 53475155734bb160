import assert from "node:assert/strict";
import { statesOf } from "../queue/queue.ts";
import { eventuallyAll, withDispatching } from "./with_dispatching.ts";

/** More than half the lease of 60 s. */
const SUSPENDED_MS = 31_000;

Deno.test("what was claimed before the machine was suspended is handed back, up to the moment it would leave", () =>
  withDispatching(async (t) => {
    const { sealer } = t.services;
    let offMs = 0;
    const services = {
      ...t.services,
      // As after a suspension the monotonic clock has gone on as if nothing had been.
      now: () => new Date(Date.now() + offMs),
      sealer: {
        ...sealer,
        open: async (sealed: string) => {
          const secret = await sealer.open(sealed);
          if (secret === t.sender.token) offMs = SUSPENDED_MS;
          return secret;
        },
      },
    };
    const queued = await t.enqueue(3);

    await t.running(() => eventuallyAll(t, queued, "read"), services);

    const states = await statesOf(t.sql, queued.ids);
    assert.deepEqual(states.map(({ fence, attempt }) => [fence, attempt]), Array(3).fill([2, 1]));
    assert.equal((await t.taken()).size, 3);
  }));
