import assert from "node:assert/strict";
import { createOutages } from "../../supabase/functions/_shared/outages.ts";

/** Outages by a clock that the test moves; times are in seconds. */
function setUp() {
  let now = 0;
  const outages = createOutages(() => new Date(now * 1000));
  return {
    outages,
    failedAt(at: number, retryAfterS?: number): number | null {
      now = at;
      const estimate = outages.failed("whatsapp", retryAfterS);
      return estimate && estimate.getTime() / 1000;
    },
  };
}

Deno.test("createOutages() knows nothing at the first failure, and then expects as long again", () => {
  const { failedAt } = setUp();

  assert.deepEqual([0, 0, 2, 60, 300, 600].map((at) => failedAt(at)), [null, 5, 7, 120, 600, 1200]);
});

Deno.test("createOutages() expects no more than a quarter of an hour", () => {
  const { failedAt } = setUp();

  const estimates = [0, 250, 500, 750, 1000, 1250].map((at) => failedAt(at));

  assert.deepEqual(estimates.slice(-2), [1900, 2150]);
});

Deno.test("createOutages() believes what the service said itself until that time has come", () => {
  const { failedAt } = setUp();

  assert.deepEqual([failedAt(0, 90), failedAt(10), failedAt(20, 30), failedAt(60)], [90, 90, 50, 120]);
});

Deno.test("createOutages() begins anew after a success, or after five minutes without a failure", () => {
  const { failedAt, outages } = setUp();
  failedAt(0);
  outages.worked("whatsapp");
  assert.equal(failedAt(10), null);
  assert.equal(failedAt(311), null);
});

Deno.test("createOutages() keeps services apart", () => {
  const { failedAt, outages } = setUp();
  failedAt(0);

  assert.equal(outages.failed("voice"), null);
});
