import assert from "node:assert/strict";
import { printFigures } from "./figures.ts";
import { startIntake } from "./intake.ts";
import { assertBalanced } from "./ledger.ts";
import { withOwnCluster } from "./own_cluster.ts";
import { withFaults } from "./with_faults.ts";

const RESTARTS = 10;
const LONGEST_PAUSE_MS = 2000;
/** Longer than the database may be away: what the platform says meanwhile has to be heard before anything is sent again. */
const WINDOW_S = "10";

Deno.test("ten crashes of the database under load: nothing is lost, nothing is sent twice", () =>
  withOwnCluster(({ url, crash }) =>
    withFaults(async (t) => {
      await t.platform.configure({ latency_ms: 60 });
      const crew = t.startCrew(3, () => ({ env: { UNCONFIRMED_WINDOW_S: WINDOW_S } }));
      await crew.ready();
      const intake = startIntake(t, { contacts: 20, everyMs: 100 });

      for (let restart = 0; restart < RESTARTS; restart++) {
        await new Promise((resolve) => setTimeout(resolve, Math.random() * LONGEST_PAUSE_MS));
        await crash();
      }
      const accepted = await intake.stop();
      await t.settle(60_000);
      await crew.stop();

      const ledger = await t.ledger();
      printFigures("10 x pg_ctl restart -m immediate", {
        accepted,
        stored: ledger.entries.length,
        "unknown outcomes": await t.unknownTries(),
        lost: ledger.lost.length,
        twice: ledger.twice.length,
      });
      assertBalanced(ledger, { allow: "nothing" });
      assert.ok(accepted > 0);
    }, { databaseUrl: url, ratePerSecond: 400 })
  ));
