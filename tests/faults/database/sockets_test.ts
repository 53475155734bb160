import assert from "node:assert/strict";
import { type Cut, type CuttingProxy, startCuttingProxy } from "./cutting_proxy.ts";
import { printFigures } from "../figures.ts";
import { startIntake } from "../intake.ts";
import { assertBalanced } from "../send_log.ts";
import { type DispatcherChange, type FaultEnvironment, withFaults } from "../with_faults.ts";

const CUTTING_MS = 8000;

/** Sends for a while through a proxy that cuts every connection somewhere. */
async function sendThrough(
  t: FaultEnvironment,
  name: string,
  { proxy, change }: { proxy: CuttingProxy; change: DispatcherChange },
): Promise<void> {
  try {
    await t.platform.configure({ latency_ms: 20 });
    const pool = t.startDispatchers(3, () => change);
    await pool.ready();
    const intake = startIntake(t, { contacts: 20, everyMs: 100 });
    await new Promise((resolve) => setTimeout(resolve, CUTTING_MS));
    const accepted = await intake.stop();
    const cuts = proxy.cuts();
    proxy.calmDown();
    await t.settle();
    await pool.stop();

    const sendLog = await t.sendLog();
    printFigures(name, {
      accepted,
      cuts,
      "unknown outcomes": await t.unknownAttempts(),
      lost: sendLog.lost.length,
      twice: sendLog.twice.length,
    });
    assertBalanced(sendLog, { allow: "nothing" });
    assert.ok(cuts > 0, "no connection was cut");
  } finally {
    await proxy.close();
  }
}

/** Some requests and responses go through, the next is cut anywhere: in its head, in its body, or after it. */
function anywhere(most: number): () => Cut {
  return () => ({ up: Math.floor(Math.random() * most), down: Math.floor(Math.random() * most) });
}

Deno.test("connections to the platform that break anywhere: nothing is lost, nothing is sent twice", () =>
  withFaults(async (t) => {
    const proxy = startCuttingProxy(Number(new URL(t.platform.url).port), anywhere(10_000));
    const env = { WHATSAPP_API_URL: `http://127.0.0.1:${proxy.port}` };

    await sendThrough(t, "cut connections to the platform", { proxy, change: { env } });
  }, { ratePerSecond: 1000 }));

Deno.test("connections to the database that break anywhere: nothing is lost, nothing is sent twice", () =>
  withFaults(async (t) => {
    const database = new URL(t.databaseUrl);
    const proxy = startCuttingProxy(Number(database.port), anywhere(200_000));
    database.port = String(proxy.port);
    const env = { DATABASE_URL: database.href };

    await sendThrough(t, "cut connections to the database", { proxy, change: { env } });
  }, { ratePerSecond: 1000 }));
