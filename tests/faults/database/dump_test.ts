import assert from "node:assert/strict";
import { join } from "node:path";
import { printFigures } from "../figures.ts";
import { insertCampaign } from "../insert_campaign.ts";
import { assertBalanced } from "../send_log.ts";
import { clusterSettings, programIsMissing, withOwnCluster } from "./own_cluster.ts";
import { withFaults } from "../with_faults.ts";

const DUMPED = "pg_dump runs all the time: messages leave once, at their sender's rate";
const RATE = 100;
const MESSAGES = 1000;

Deno.test(DUMPED, async () => {
  if (programIsMissing(DUMPED, "pg_dump")) return;
  await withOwnCluster(({ url }) =>
    withFaults(async (t) => {
      await t.platform.configure({ latency_ms: 20 });
      const pool = t.startDispatchers(1);
      await pool.ready();
      const dumps = startDumps(url);

      const startedAt = Date.now();
      await insertCampaign(t, { count: MESSAGES });
      await t.settle();
      const seconds = (Date.now() - startedAt) / 1000;
      const finished = await dumps.stop();
      await pool.stop();

      const sendLog = await t.sendLog();
      printFigures(DUMPED, {
        messages: MESSAGES,
        "per second": Math.round(MESSAGES / seconds),
        dumps: finished,
      });
      assertBalanced(sendLog, { allow: "nothing" });
      assert.ok(finished > 0, "no dump was finished");
      assert.ok(MESSAGES / seconds > 0.8 * RATE, `${MESSAGES} in ${seconds} s`);
    }, { databaseUrl: url, ratePerSecond: RATE })
  );
});

/** Dumps a database repeatedly. `stop` returns the number of finished dumps. */
function startDumps(url: string): { stop(): Promise<number> } {
  let isStopped = false;
  let finished = 0;
  const dumping = (async () => {
    while (!isStopped) {
      const { success, stderr } = await new Deno.Command(join(clusterSettings().binaries.folder, "pg_dump"), {
        args: ["--file", "/dev/null", url],
        stdin: "null",
      }).output();
      assert.ok(success, new TextDecoder().decode(stderr));
      finished++;
    }
  })();
  return {
    async stop() {
      isStopped = true;
      await dumping;
      return finished;
    },
  };
}
