import assert from "node:assert/strict";
import { printFigures } from "../figures.ts";
import { insertCampaign } from "../insert_campaign.ts";
import { assertBalanced } from "../send_log.ts";
import { withFaults } from "../with_faults.ts";

const RATE = 80;
const MESSAGES = 800;

/** The most that lie within any stretch of this many milliseconds; the times ascend. */
function mostWithin(times: number[], ms: number): number {
  let first = 0;
  return times.reduce((most, time, index) => {
    while (time - times[first]! >= ms) first++;
    return Math.max(most, index - first + 1);
  }, 0);
}

Deno.test("three dispatchers together keep one sender to its rate, and use it", () =>
  withFaults(async (t) => {
    const pool = t.startDispatchers(3);
    await pool.ready();
    await insertCampaign(t, { count: MESSAGES });
    await t.settle();
    await pool.stop();

    const times = (await t.platform.allMessages()).map(({ accepted_at }) => Date.parse(accepted_at))
      .sort((a, b) => a - b);
    const average = MESSAGES / ((times.at(-1)! - times[0]!) / 1000);
    const most = mostWithin(times, 1000);
    printFigures(`three dispatchers at ${RATE}/s`, {
      "average a second": average.toFixed(1),
      "most in any second": most,
    });
    assertBalanced(await t.sendLog(), { allow: "nothing" });
    assert.ok(most <= RATE * 1.1, `${most} in one second`);
    assert.ok(average > RATE * 0.9, `${average} a second`);
  }, { ratePerSecond: RATE, events: false }));
