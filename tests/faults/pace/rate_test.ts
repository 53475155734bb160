import assert from "node:assert/strict";
import { percentile, printFigures } from "../figures.ts";
import { insertCampaign } from "../insert_campaign.ts";
import { assertBalanced } from "../send_log.ts";
import { type FaultEnvironment, withFaults } from "../with_faults.ts";

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

/** When each message of the database was claimed, in milliseconds, ascending. */
async function claimTimes({ sql }: FaultEnvironment): Promise<number[]> {
  const rows = await sql<{ started_at: Date }[]>`
    select started_at from outbound.delivery_history order by started_at`;
  return rows.map(({ started_at }) => started_at.getTime());
}

/** How many lie within each whole second after the first; the last one may be over early, and is left out. */
function perSecond(times: number[]): number[] {
  const counts = Map.groupBy(times, (time) => Math.floor((time - times[0]!) / 1000));
  return [...counts.values()].slice(0, -1).map(({ length }) => length);
}

// The rate is kept by what is claimed: a process that the machine stops for a moment sends late what it has claimed, and
// the platform sees that at once with what follows.
Deno.test("three dispatchers together keep one sender to its rate, and use it", () =>
  withFaults(async (t) => {
    const pool = t.startDispatchers(3);
    await pool.ready();
    await insertCampaign(t, { count: MESSAGES });
    await t.settle();
    await pool.stop();

    const most = mostWithin(await claimTimes(t), 1000);
    const arrivals = (await t.platform.allMessages()).map(({ accepted_at }) => Date.parse(accepted_at))
      .sort((a, b) => a - b);
    const usual = percentile(perSecond(arrivals), 0.5);
    printFigures(`three dispatchers at ${RATE}/s`, {
      "claimed in any second, at most": most,
      "arrived in any second, at most": mostWithin(arrivals, 1000),
      "arrived in a usual second": usual,
    });
    assertBalanced(await t.sendLog(), { allow: "nothing" });
    assert.ok(most <= RATE * 1.1, `${most} claimed in one second`);
    assert.ok(usual > RATE * 0.9, `${usual} arrived in a usual second`);
  }, { ratePerSecond: RATE, events: false }));
