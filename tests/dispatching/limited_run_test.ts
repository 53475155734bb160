import assert from "node:assert/strict";
import { runDispatcher } from "../../supabase/functions/_shared/dispatching/dispatcher.ts";
import { statusesOf } from "../setup/queue.ts";
import { withDispatching } from "./with_dispatching.ts";

Deno.test("a run of so many messages ends after them, with all of them recorded and the rest queued", () =>
  withDispatching(async (t) => {
    await t.sandbox.configure({ webhooks: false, latency_ms: 50 });
    const { ids } = await t.enqueue(100);
    const { signal } = new AbortController();

    await runDispatcher(t.services, { signal, untilIdle: true, maxMessages: 30, maxInFlight: 8 });

    const statuses = await statusesOf(t.sql, ids);
    const count = (status: string) => statuses.filter((each) => each === status).length;
    assert.deepEqual([count("sent"), count("queued"), (await t.taken()).size], [30, 70, 30]);
  }));
