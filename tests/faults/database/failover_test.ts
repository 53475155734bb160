import assert from "node:assert/strict";
import {
  type CompanyUpdate,
  createCompanyFeed,
} from "../../../supabase/functions/_shared/company_events/company_feed.ts";
import { connect } from "../../../supabase/functions/_shared/db/driver/connect.ts";
import { createLog } from "../../../supabase/functions/_shared/log.ts";
import { insertCompany, insertMember, insertSender } from "../../setup/fixtures/fixtures.ts";
import { eventually } from "../../setup/eventually.ts";
import { withPgbouncer } from "../../setup/database/pgbouncer.ts";
import { printFigures } from "../figures.ts";
import { startIntake } from "../intake.ts";
import { underLoad, untilTaken } from "../load.ts";
import { withReplicatedCluster } from "./replicated_cluster.ts";
import { withFaults } from "../with_faults.ts";

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
            const pool = t.startDispatchers(2, () => ({ env: { OUTBOUND_UNCONFIRMED_WINDOW_S: "5" } }));
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
            await t.settle();
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
              sendLog.entries.filter((entry) => entry.taken > 2 + entry.unknown_attempts),
              [],
            );
            assert.deepEqual(sendLog.denied, []);
            assert.ok(sendLog.entries.length < accepted, "nothing was lost: the replica was not behind");
          }, { databaseUrl: pgbouncer.url, ratePerSecond: 400 })),
    ),
);

const FOLLOWED =
  "a company's events after its asynchronous replica took over: a reset, whatever is written next";

Deno.test(FOLLOWED, () =>
  withReplicatedCluster({ test: FOLLOWED, synchronous: false }, async (cluster) => {
    const primary = connect(cluster.url);
    const { id: companyId } = await insertCompany(primary);
    const { user_id: userId } = await insertMember(primary, companyId);
    await insertSender(primary, companyId);
    await primary`select pg_switch_wal()`;
    await eventually(async () => {
      const rows = await primary`select from pg_stat_replication where replay_lsn = pg_current_wal_lsn()`;
      assert.equal(rows.length, 1);
    });
    await cluster.cutReplication();
    const rename = async (sql: typeof primary, times: number) => {
      while (times-- > 0) {
        await sql`update outbound.companies set name = ${`${times}`} where id = ${companyId}`;
      }
    };
    await rename(primary, 300);
    const { next } = await followOnce(primary, { companyId, userId, after: null });
    await primary.end();

    const url = new URL(cluster.url);
    const replica = connect(
      Object.assign(new URL(await cluster.failOver()), { pathname: url.pathname }).href,
    );
    await replica`update outbound.senders set quality = 'RED'`;
    // The numbers of transactions are beyond the reader's again.
    await rename(replica, 600);

    assert.ok((await followOnce(replica, { companyId, userId, after: next })).isGap);
    await replica.end();
  }));

/** The first update of a reader. */
async function followOnce(
  sql: ReturnType<typeof connect>,
  reader: { companyId: string; userId: string; after: CompanyUpdate["next"] | null },
): Promise<CompanyUpdate> {
  const feed = createCompanyFeed(sql, createLog("silent"));
  const { promise, resolve } = Promise.withResolvers<CompanyUpdate>();
  const leave = feed.follow({ ...reader, receive: resolve, end: () => {} });
  return await promise.finally(leave);
}
