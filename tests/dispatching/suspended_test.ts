import assert from "node:assert/strict";
import { statesOf } from "../setup/queue.ts";
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
        open: async (...sealed: Parameters<typeof sealer.open>) => {
          const secret = await sealer.open(...sealed);
          if (secret === t.sender.token) offMs = SUSPENDED_MS;
          return secret;
        },
      },
    };
    const queued = await t.enqueue(3);

    await t.running(() => eventuallyAll(t, queued, "read"), services);

    const states = await statesOf(t.sql, queued.ids);
    // Once, or twice when the next claim too began before.
    assert.ok(states.every(({ fence, attempt }) => fence >= 2 && attempt === 1), JSON.stringify(states));
    const tries = await t.sql`select outcome, count(*)::int from outbound.delivery_history group by outcome`;
    assert.deepEqual([[...tries], (await t.taken()).size], [[{ outcome: "sent", count: 3 }], 3]);
  }));
