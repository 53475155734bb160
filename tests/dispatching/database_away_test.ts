import assert from "node:assert/strict";
import { createServices } from "../../supabase/functions/_shared/services.ts";
import { eventually } from "../setup/eventually.ts";
import { withProxy } from "./proxy.ts";
import { type Dispatching, eventuallyAll, withDispatching } from "./with_dispatching.ts";

const SHORT = { OUTBOUND_DISPATCH_LEASE_S: "3", OUTBOUND_UNCONFIRMED_WINDOW_S: "5" };

async function untilTaken(t: Dispatching, count: number): Promise<void> {
  await eventually(async () => assert.ok((await t.taken()).size >= count));
}

async function untilAnswered({ sandbox }: Dispatching): Promise<void> {
  await eventually(async () => {
    const messages = await sandbox.messages({ limit: "10000" });
    assert.ok(messages.every(({ answered_at }) => answered_at !== null));
  });
}

Deno.test("a database that goes away in the middle loses no result and doubles no message", () =>
  withDispatching(async (t) => {
    await t.sandbox.configure({ latency_ms: 200 });
    const queued = await t.enqueue(300);
    await withProxy(Number(new URL(t.databaseUrl).port), async (proxy) => {
      const url = new URL(t.databaseUrl);
      url.port = String(proxy.port);
      const services = createServices({ ...t.env, DATABASE_URL: url.href });
      try {
        await t.running(async () => {
          for (const count of [20, 120]) {
            await untilTaken(t, count);
            proxy.cut();
            // The results of what is in flight have nowhere to go.
            await untilAnswered(t);
            proxy.mend();
          }
          await eventuallyAll(t, queued, "read", 40_000);
        }, services);
      } finally {
        await services.close();
      }
    });

    const taken = await t.taken();
    assert.deepEqual([taken.size, [...taken.values()].filter((times) => times > 1).length], [300, 0]);
  }, SHORT));

Deno.test("a dispatcher that stops while the database is away records its results when it is back", () =>
  withDispatching(async (t) => {
    await t.sandbox.configure({ latency_ms: 300, webhooks: false });
    const { ids } = await t.enqueue(20);
    await withProxy(Number(new URL(t.databaseUrl).port), async (proxy) => {
      const url = new URL(t.databaseUrl);
      url.port = String(proxy.port);
      const services = createServices({ ...t.env, DATABASE_URL: url.href });
      try {
        await t.running(async () => {
          await untilTaken(t, 20);
          proxy.cut();
          setTimeout(proxy.mend, 1000);
        }, services);
      } finally {
        await services.close();
      }
    });

    await eventuallyAll(t, { campaignId: "", ids }, "sent");
  }));
