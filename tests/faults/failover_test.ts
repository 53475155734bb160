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
      { synchronous: true },
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
      { synchronous: false },
      (cluster) =>
        withPgbouncer(ASYNCHRONOUS, cluster.url, {}, (pgbouncer) =>
          withFaults(async (t) => {
            await t.platform.configure({ latency_ms: 60 });
            const crew = t.startCrew(2, () => ({ env: { UNCONFIRMED_WINDOW_S: "5" } }));
            await crew.ready();
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
            await crew.stop();
            const ledger = await t.ledger();
            printFigures(ASYNCHRONOUS, {
              accepted,
              "accepted and lost": accepted - ledger.entries.length,
              "sent, and unknown to us": ledger.strangers.length,
              "sent again": ledger.twice.length,
              "not sent": ledger.lost.length,
            });
            // What the replica had is sent; once more only what it did not know to be sent.
            assert.deepEqual(ledger.lost, []);
            assert.deepEqual(
              ledger.entries.filter((entry) => entry.taken > 2 + entry.unknown_tries),
              [],
            );
            assert.deepEqual(ledger.denied, []);
            assert.ok(ledger.entries.length < accepted, "nothing was lost: the replica was not behind");
          }, { databaseUrl: pgbouncer.url, ratePerSecond: 400 })),
    ),
);
