import assert from "node:assert/strict";
import { eventually } from "../setup/eventually.ts";
import { printFigures } from "./figures.ts";
import { startIntake } from "./intake.ts";
import { assertBalanced } from "./send_log.ts";
import { type FaultEnvironment, withFaults } from "./with_faults.ts";

const MAX_PAUSE_MS = 300;

/** Kills dispatchers, one after the other, while requests keep coming in. Returns how many were accepted. */
async function sendUnderKills(t: FaultEnvironment, kills: number): Promise<number> {
  await t.platform.configure({ latency_ms: 60 });
  const pool = t.startDispatchers(3);
  await pool.ready();
  const intake = startIntake(t, { contacts: 20, everyMs: 120 });
  for (let kill = 0; kill < kills; kill++) {
    await new Promise((resolve) => setTimeout(resolve, Math.random() * MAX_PAUSE_MS));
    await pool.killOne();
  }
  const accepted = await intake.stop();
  await pool.ready();
  await t.settle(60_000);
  await pool.stop();
  return accepted;
}

Deno.test("100 times one of three dispatchers is killed: nothing is lost, nothing is sent twice", () =>
  withFaults(async (t) => {
    const accepted = await sendUnderKills(t, 100);

    const sendLog = await t.sendLog();
    printFigures("100 x kill -9", {
      accepted,
      "unknown outcomes": await t.unknownTries(),
      lost: sendLog.lost.length,
      twice: sendLog.twice.length,
    });
    assertBalanced(sendLog, { allow: "nothing" });
    assert.ok(await t.unknownTries() > 0, "no kill hit a message in flight");
    await eventually(async () => {
      const [row] = await t.sql`select count(*)::int from outbound.notifications where status <> 'read'`;
      assert.equal(row?.count, 0);
    });
  }, { ratePerSecond: 400 }));

Deno.test("without the platform's events, kills repeat only what nobody could know the outcome of", () =>
  withFaults(async (t) => {
    const accepted = await sendUnderKills(t, 20);

    const sendLog = await t.sendLog();
    printFigures("20 x kill -9 without events", {
      accepted,
      "unknown outcomes": await t.unknownTries(),
      lost: sendLog.lost.length,
      twice: sendLog.twice.length,
    });
    assertBalanced(sendLog, { allow: "unknown" });
  }, { ratePerSecond: 400, events: false }));
