import assert from "node:assert/strict";
import fc from "fast-check";
import { retryDelayS } from "../../../supabase/functions/_shared/dispatching/retry_delay.ts";

Deno.test("retryDelayS() waits 10 s, then four times as long each time", () => {
  assert.deepEqual([1, 2, 3, 4].map((attempt) => retryDelayS(attempt, 0.5)), [10, 40, 160, 640]);
});

Deno.test("retryDelayS() waits 1 s, then four times as long each time, for one recipient", () => {
  assert.deepEqual([1, 2, 3, 4].map((attempt) => retryDelayS(attempt, 0.5, "recipient")), [1, 4, 16, 64]);
});

Deno.test("retryDelayS() deviates from the schedule by a fifth at most", () => {
  const unit = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  fc.assert(fc.property(fc.integer({ min: 1, max: 20 }), unit, (attempt, random) => {
    const base = [10, 40, 160, 640][Math.min(attempt, 4) - 1]!;
    const delay = retryDelayS(attempt, random);
    assert.ok(delay >= base * 0.8 - 1e-9 && delay <= base * 1.2 + 1e-9);
  }));
});
