import assert from "node:assert/strict";
import { printFigures } from "../figures.ts";
import { startIntake } from "../intake.ts";
import { assertBalanced } from "../send_log.ts";
import { withOwnCluster } from "./own_cluster.ts";
import { withFaults } from "../with_faults.ts";

const RESTARTS = 10;
const MAX_PAUSE_MS = 2000;
/** Longer than the database may be away: events of the platform must arrive before a resend. */
const WINDOW_S = "10";

Deno.test("ten crashes of the database under load: nothing is lost, nothing is sent twice", () =>
  withOwnCluster(({ url, crash }) =>
    withFaults(async (t) => {
      await t.platform.configure({ latency_ms: 60 });
      const pool = t.startDispatchers(3, () => ({ env: { OUTBOUND_UNCONFIRMED_WINDOW_S: WINDOW_S } }));
      await pool.ready();
      const intake = startIntake(t, { contacts: 20, everyMs: 100 });

      for (let restart = 0; restart < RESTARTS; restart++) {
        await new Promise((resolve) => setTimeout(resolve, Math.random() * MAX_PAUSE_MS));
        await crash();
      }
      const accepted = await intake.stop();
      await t.settle();
      await pool.stop();

      const sendLog = await t.sendLog();
      printFigures("10 x pg_ctl restart -m immediate", {
        accepted,
        stored: sendLog.entries.length,
        "unknown outcomes": await t.unknownAttempts(),
        lost: sendLog.lost.length,
        twice: sendLog.twice.length,
      });
      assertBalanced(sendLog, { allow: "nothing" });
      assert.ok(accepted > 0);
    }, { databaseUrl: url, ratePerSecond: 400 })
  ));
