import assert from "node:assert/strict";
import { withoutFence } from "../../setup/fixtures/without_fence.ts";
import { insertCampaign } from "../insert_campaign.ts";
import { printFigures } from "../figures.ts";
import { startIntake } from "../intake.ts";
import { assertBalanced } from "../send_log.ts";
import { withFaults } from "../with_faults.ts";

const HOUR_S = 3600;
const KILLS = 5;

Deno.test("a worker whose clock is an hour off sends nothing early, late or twice", () =>
  withFaults(async (t) => {
    const off = [HOUR_S, -HOUR_S, 0];
    const pool = t.startDispatchers(3, (index) => ({
      env: {},
      preload: [`clock_off.ts?by_s=${off[index]}`],
    }));
    await pool.ready();
    await t.platform.addFault({ times: 30, fault: { code: 131016 } });
    const soon = await insertCampaign(t, { count: 100, dueInS: 3 });
    const later = await insertCampaign(t, { count: 100, dueInS: HOUR_S / 2 });
    const intake = startIntake(t, { contacts: 20, everyMs: 100 });
    for (let kill = 0; kill < KILLS; kill++) {
      await new Promise((resolve) => setTimeout(resolve, 800));
      await pool.killOne();
    }
    const accepted = await intake.stop();
    await pool.ready();
    await t.settle();
    await pool.stop();

    const sendLog = await t.sendLog();
    const lateness = (await t.platform.allMessages())
      .filter((message) => soon.references.has(withoutFence(message.biz_opaque_callback_data)))
      .map((message) => Date.parse(message.accepted_at) - soon.dueAt);
    printFigures("clocks off by an hour", {
      accepted,
      "unknown outcomes": await t.unknownAttempts(),
      "scheduled ones late by at most": `${Math.max(...lateness)} ms`,
      lost: sendLog.lost.length,
      twice: sendLog.twice.length,
    });
    assertBalanced(sendLog, { allow: "nothing" });
    assert.equal(lateness.length, 100);
    assert.ok(Math.min(...lateness) >= 0, `one left ${-Math.min(...lateness)} ms early`);
    const early = sendLog.entries.filter(({ id, taken }) => later.ids.has(id) && taken > 0);
    assert.deepEqual(early, []);
    const workers = await t.sql`
      select count(*)::int from outbound.delivery_attempts
      where abs(extract(epoch from finished_at - started_at)) > 1800 and outcome in ('sent', 'retry')`;
    assert.ok(workers[0]!.count > 0, "no worker's clock was off");
  }, { ratePerSecond: 1000 }));
