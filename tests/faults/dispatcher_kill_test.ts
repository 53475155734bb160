import assert from "node:assert/strict";
import { eventually } from "../setup/eventually.ts";
import { printFigures } from "./figures.ts";
import { startIntake } from "./intake.ts";
import { assertBalanced } from "./ledger.ts";
import { type FaultWorld, withFaults } from "./with_faults.ts";

const LONGEST_PAUSE_MS = 300;

/** Kills dispatchers, one after the other, while requests keep coming in. Returns how many were accepted. */
async function sendUnderKills(t: FaultWorld, kills: number): Promise<number> {
  await t.platform.configure({ latency_ms: 60 });
  const crew = t.startCrew(3);
  await crew.ready();
  const intake = startIntake(t, { contacts: 20, everyMs: 120 });
  for (let kill = 0; kill < kills; kill++) {
    await new Promise((resolve) => setTimeout(resolve, Math.random() * LONGEST_PAUSE_MS));
    await crew.killOne();
  }
  const accepted = await intake.stop();
  await crew.ready();
  await t.settle(60_000);
  await crew.stop();
  return accepted;
}

Deno.test("100 times one of three dispatchers is killed: nothing is lost, nothing is sent twice", () =>
  withFaults(async (t) => {
    const accepted = await sendUnderKills(t, 100);

    const ledger = await t.ledger();
    printFigures("100 x kill -9", {
      accepted,
      "unknown outcomes": await t.unknownTries(),
      lost: ledger.lost.length,
      twice: ledger.twice.length,
    });
    assertBalanced(ledger, { allow: "nothing" });
    assert.ok(await t.unknownTries() > 0, "no kill hit a message in flight");
    await eventually(async () => {
      const [row] = await t.sql`select count(*)::int from outbound.notifications where status <> 'read'`;
      assert.equal(row?.count, 0);
    });
  }, { ratePerSecond: 400 }));

Deno.test("without the platform's events, kills repeat only what nobody could know the outcome of", () =>
  withFaults(async (t) => {
    const accepted = await sendUnderKills(t, 20);

    const ledger = await t.ledger();
    printFigures("20 x kill -9 without events", {
      accepted,
      "unknown outcomes": await t.unknownTries(),
      lost: ledger.lost.length,
      twice: ledger.twice.length,
    });
    assertBalanced(ledger, { allow: "unknown" });
  }, { ratePerSecond: 400, events: false }));
