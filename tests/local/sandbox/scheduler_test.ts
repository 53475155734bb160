import assert from "node:assert/strict";
import fc from "fast-check";
import { Scheduler } from "../../../local/sandbox/scheduler.ts";

Deno.test("Scheduler hands values over by time, equal times in the order they were added", () =>
  fc.assert(fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 1 }), async (times) => {
    const past = Date.now() - 1000;
    const { promise, resolve } = Promise.withResolvers<void>();
    const seen: number[] = [];
    const scheduler = new Scheduler<number>((due) => {
      seen.push(...due);
      if (seen.length === times.length) resolve();
    });

    times.forEach((time, index) => scheduler.add(past + time, index));
    await promise;
    scheduler.close();

    const expected = times.map((_, index) => index).sort((a, b) => times[a]! - times[b]! || a - b);
    assert.deepEqual(seen, expected);
  })));

Deno.test("Scheduler waits for a time to come and is woken by an earlier one", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const seen: string[] = [];
  const scheduler = new Scheduler<string>((due) => {
    seen.push(...due);
    if (seen.length === 2) resolve();
  });
  const started = Date.now();

  scheduler.add(started + 60, "later");
  scheduler.add(started + 20, "sooner");
  await promise;
  scheduler.close();

  assert.deepEqual(seen, ["sooner", "later"]);
  assert.ok(Date.now() - started >= 60);
});

Deno.test("Scheduler hands nothing over once it is closed or cleared", async () => {
  const seen: string[] = [];
  const cleared = new Scheduler<string>((due) => seen.push(...due));
  const closed = new Scheduler<string>((due) => seen.push(...due));
  cleared.add(0, "cleared");
  closed.add(0, "closed");

  cleared.clear();
  closed.close();
  const { promise, resolve } = Promise.withResolvers<void>();
  const last = new Scheduler<string>(() => resolve());
  last.add(0, "last");
  await promise;

  assert.deepEqual(seen, []);
});
