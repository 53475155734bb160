import assert from "node:assert/strict";
import { withoutFence } from "../setup/without_fence.ts";
import { percentile, printFigures } from "./figures.ts";
import { insertCampaign, type InsertedCampaign } from "./insert_campaign.ts";
import { assertBalanced } from "./ledger.ts";
import { type FaultWorld, withFaults } from "./with_faults.ts";

/** How late each message of a campaign left, in milliseconds, ascending. */
async function latenessOf(t: FaultWorld, { references, dueAt }: InsertedCampaign): Promise<number[]> {
  return (await t.platform.allMessages())
    .filter((message) => references.has(withoutFence(message.biz_opaque_callback_data)))
    .map(({ accepted_at }) => Date.parse(accepted_at) - dueAt)
    .sort((a, b) => a - b);
}

Deno.test("10,000 that are due in the same second leave at once, one alone within a second", () =>
  withFaults(async (t) => {
    const lone = await insertCampaign(t, { count: 1, dueInS: 5 });
    const crowd = await insertCampaign(t, { count: 10_000, dueInS: 9 });
    const crew = t.startCrew(2);
    await crew.ready();
    await t.settle(60_000);
    await crew.stop();

    const [alone] = await latenessOf(t, lone);
    const lateness = await latenessOf(t, crowd);
    const rate = lateness.length / ((lateness.at(-1)! - lateness[0]!) / 1000);
    printFigures("10,000 due in the same second", {
      "late p50": `${percentile(lateness, 0.5)} ms`,
      "p99": `${percentile(lateness, 0.99)} ms`,
      "throughput": `${Math.round(rate)}/s`,
      "one alone": `${alone} ms late`,
    });
    assertBalanced(await t.ledger(), { allow: "nothing" });
    assert.ok(lateness[0]! >= 0 && alone! >= 0, "something left early");
    assert.ok(alone! < 1000, `one alone was ${alone} ms late`);
  }, { ratePerSecond: 200_000, events: false }));
