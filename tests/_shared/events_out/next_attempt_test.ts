import assert from "node:assert/strict";
import { nextAttemptInS } from "../../../supabase/functions/_shared/events_out/deliveries.ts";

const ATTEMPTS = [1, 2, 3, 4, 5, 6, 7];

Deno.test("nextAttemptInS() waits longer and longer, seven times, for almost a day in all", () => {
  const waits = ATTEMPTS.map((failed) => nextAttemptInS(failed, 0.5)!);

  assert.deepEqual(waits, waits.toSorted((a, b) => a - b));
  assert.equal(nextAttemptInS(8, 0.5), null);
  const hours = waits.reduce((sum, wait) => sum + wait) / 3600;
  assert.ok(hours > 20 && hours < 24, `${hours} hours`);
});

Deno.test("nextAttemptInS() spreads each wait by a tenth either way", () => {
  for (const failed of ATTEMPTS) {
    const [base, least, most] = [0.5, 0, 1].map((random) => nextAttemptInS(failed, random)!);
    assert.ok(Math.abs(least! / base! - 0.9) < 1e-9 && Math.abs(most! / base! - 1.1) < 1e-9);
  }
});
