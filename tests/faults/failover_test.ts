import assert from "node:assert/strict";
import { withPgbouncer } from "../setup/pgbouncer.ts";
import { printFigures } from "./figures.ts";
import { startIntake } from "./intake.ts";
import { underLoad, untilTaken } from "./load.ts";
import { withReplicatedCluster } from "./replicated_cluster.ts";
import { withFaults } from "./with_faults.ts";

const SYNCHRONOUS = "a primary dies under load and its synchronous replica takes over: " +
  "nothing is lost, nothing is sent twice";

Deno.test(
  SYNCHRONOUS,
  () =>
    withReplicatedCluster(
      { test: SYNCHRONOUS, synchronous: true },
      (cluster) =>
        withPgbouncer(SYNCHRONOUS, cluster.url, {}, (pgbouncer) =>
          withFaults((t) =>
            underLoad(t, {
              test: SYNCHRONOUS,
              fault: async () => await pgbouncer.turnTo(await cluster.failOver()),
            }), { databaseUrl: pgbouncer.url, ratePerSecond: 400 })),
    ),
);

const ASYNCHRONOUS =
  "a primary dies and its asynchronous replica takes over: what the last moments lose is counted";

/** How far the replica is behind when the primary dies. */
const LAG_MESSAGES = 100;

Deno.test(
  ASYNCHRONOUS,
  () =>
    withReplicatedCluster(
      { test: ASYNCHRONOUS, synchronous: false },
      (cluster) =>
        withPgbouncer(ASYNCHRONOUS, cluster.url, {}, (pgbouncer) =>
          withFaults(async (t) => {
            await t.platform.configure({ latency_ms: 60 });
            const pool = t.startDispatchers(2, () => ({ env: { UNCONFIRMED_WINDOW_S: "5" } }));
            await pool.ready();
            const intake = startIntake(t, { contacts: 10, everyMs: 100, mayBeLost: true });
            await untilTaken(t, 150);

            await cluster.cutReplication();
            const taken = (await t.platform.allMessages()).length;
            await untilTaken(t, taken + LAG_MESSAGES);
            const before = (await t.platform.allMessages()).length;
            await pgbouncer.turnTo(await cluster.failOver());

            await untilTaken(t, before + 150);
            const accepted = await intake.stop();
            await t.settle(60_000);
            await pool.stop();
            const sendLog = await t.sendLog();
            printFigures(ASYNCHRONOUS, {
              accepted,
              "accepted and lost": accepted - sendLog.entries.length,
              "sent, and unknown to us": sendLog.unknownReferences.length,
              "sent again": sendLog.twice.length,
              "not sent": sendLog.lost.length,
            });
            // The replica sends what it has; a second time only what it did not know to be sent.
            assert.deepEqual(sendLog.lost, []);
            assert.deepEqual(
              sendLog.entries.filter((entry) => entry.taken > 2 + entry.unknown_tries),
              [],
            );
            assert.deepEqual(sendLog.denied, []);
            assert.ok(sendLog.entries.length < accepted, "nothing was lost: the replica was not behind");
          }, { databaseUrl: pgbouncer.url, ratePerSecond: 400 })),
    ),
);
