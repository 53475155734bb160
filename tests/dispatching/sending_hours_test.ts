import assert from "node:assert/strict";
import { statesOf, tickNow } from "../setup/queue.ts";
import { eventuallyAll } from "./with_dispatching.ts";
import { type Calling, withCalls } from "./with_calls.ts";

const HOUR_MS = 3_600_000;

/** As wall-clock time in UTC, so many hours from now. */
function clock(hoursFromNow: number): string {
  return new Date(Date.now() + hoursFromNow * HOUR_MS).toISOString().slice(11, 16);
}

/** Hours that do not contain now, on whichever side of it they fit into the day. */
async function closeNow({ sql }: Calling, zone: "recipient" | "campaign"): Promise<void> {
  const early = clock(0) < "12:00";
  const [from, until] = early ? [clock(2), clock(4)] : [clock(-4), clock(-2)];
  await sql`update outbound.companies set calls_from = ${from}, calls_until = ${until}, calls_zone = ${zone}`;
}

Deno.test("a call due outside the company's hours waits for them, untried, and is made then", () =>
  withCalls(async (t) => {
    await closeNow(t, "campaign");
    const queued = await t.enqueueCalls({ count: 3, ttlS: 600, timezone: "UTC" });
    await t.dispatch();
    const waiting = await statesOf(t.sql, queued.ids);
    await t.later(900);
    await tickNow(t.sql);

    await t.sql`update outbound.companies set calls_from = '00:00', calls_until = '24:00'`;
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
