import assert from "node:assert/strict";
import { withoutFence } from "../../setup/fixtures/without_fence.ts";
import { percentile, printFigures } from "../figures.ts";
import { insertCampaign, type InsertedCampaign } from "../insert_campaign.ts";
import { assertBalanced } from "../send_log.ts";
import { type FaultEnvironment, withFaults } from "../with_faults.ts";

/** How late each message of a campaign left, in milliseconds, ascending. */
async function latenessOf(t: FaultEnvironment, { references, dueAt }: InsertedCampaign): Promise<number[]> {
  return (await t.platform.allMessages())
    .filter((message) => references.has(withoutFence(message.biz_opaque_callback_data)))
    .map(({ accepted_at }) => Date.parse(accepted_at) - dueAt)
    .sort((a, b) => a - b);
}

/**
 * The defaults. A server on an event loop takes one new connection per turn, and a turn takes long while hundreds of connections
 * are busy: the sandbox responds on the last ones after seconds.
 */
const USUAL_TIMES = {
  OUTBOUND_DISPATCH_LEASE_S: "60",
  OUTBOUND_UNCONFIRMED_WINDOW_S: "120",
  OUTBOUND_SEND_TIMEOUT_S: "20",
};

Deno.test("10,000 that are due in the same second leave at once, one alone within a second", () =>
  withFaults(async (t) => {
    const lone = await insertCampaign(t, { count: 1, dueInS: 5 });
    const bulk = await insertCampaign(t, { count: 10_000, dueInS: 9 });
    const pool = t.startDispatchers(2, () => ({ env: USUAL_TIMES }));
    await pool.ready();
    await t.settle();
    await pool.stop();

    const [alone] = await latenessOf(t, lone);
    const lateness = await latenessOf(t, bulk);
    const rate = lateness.length / ((lateness.at(-1)! - lateness[0]!) / 1000);
    printFigures("10,000 due in the same second", {
      "late p50": `${percentile(lateness, 0.5)} ms`,
      "p99": `${percentile(lateness, 0.99)} ms`,
      "throughput": `${Math.round(rate)}/s`,
      "one alone": `${alone} ms late`,
    });
    assertBalanced(await t.sendLog(), { allow: "nothing" });
    assert.ok(lateness[0]! >= 0 && alone! >= 0, "something left early");
    assert.ok(alone! < 1000, `one alone was ${alone} ms late`);
  }, { ratePerSecond: 200_000, events: false }));
