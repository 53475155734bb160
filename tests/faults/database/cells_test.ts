import assert from "node:assert/strict";
import postgres from "postgres";
import { moveCell } from "../../../cli/migrations/move_cell.ts";
import { cellOfCompany } from "../../../supabase/functions/_shared/cells.ts";
import { numberCell } from "../../../supabase/functions/_shared/db/queue/cell.ts";
import { readReference } from "../../../supabase/functions/_shared/dispatching/reference.ts";
import { servicesOfCell } from "../../../supabase/functions/_shared/services.ts";
import { withPgbouncer } from "../../setup/database/pgbouncer.ts";
import type { JsonObject } from "../../setup/http/http.ts";
import { insertTenant } from "../../setup/stack/stack.ts";
import { printFigures } from "../figures.ts";
import { startIntake } from "../intake.ts";
import { untilTaken } from "../load.ts";
import { assertBalanced, readSendLog } from "../send_log.ts";
import { type FaultEnvironment, untilOver, withFaults } from "../with_faults.ts";
import { withOwnCluster } from "./own_cluster.ts";

const CELL = 1;
const CRASHES = 5;
const MAX_PAUSE_MS = 2000;
const RATE_PER_SECOND = 400;
/** Longer than the database may be away: events of the platform must arrive before a resend. */
const WINDOW_S = "10";

Deno.test("five crashes of one cell's server under load: it loses and doubles nothing, and the other refuses nothing", () =>
  withOwnCluster(async ({ url, crash }) => {
    await numbered(url);
    await withFaults(async (t) => {
      await t.platform.configure({ latency_ms: 60 });
      const company = await addSendingCompany(t);
      const { sql } = company;
      const pool = t.startDispatchers(2);
      await pool.ready();
      const steady = startIntake(t, { contacts: 10, everyMs: 100 });
      const shaken = startIntake(company, { contacts: 10, everyMs: 100 });

      for (let crashes = 0; crashes < CRASHES; crashes++) {
        await new Promise((resolve) => setTimeout(resolve, Math.random() * MAX_PAUSE_MS));
        await crash();
      }
      const accepted = await Promise.all([steady.stop(), shaken.stop()]);
      await Promise.all([t.settle(), untilOver(sql)]);
      await pool.stop();

      const messages = await t.platform.allMessages();
      const of = (cell: number) => messages.filter((message) => cellOf(message) === cell);
      const logs = [await readSendLog(t.sql, of(0)), await readSendLog(sql, of(CELL))];
      printFigures(`${CRASHES} x pg_ctl restart -m immediate of one cell of two`, {
        ...{ "accepted, steady": accepted[0], "accepted, shaken": accepted[1] },
        ...{ "refused, steady": steady.refused(), "refused, shaken": shaken.refused() },
      });
      for (const log of logs) assertBalanced(log, { allow: "nothing" });
      assert.equal(steady.refused(), 0);
      assert.ok(accepted.every((count) => count > 0));
    }, {
      ratePerSecond: RATE_PER_SECOND,
      env: { DATABASE_URLS: `${CELL}=${url}`, OUTBOUND_UNCONFIRMED_WINDOW_S: WINDOW_S },
    });
  }));

const MOVED =
  "one cell moves through PgBouncer while the other's server crashes and dispatchers are killed: " +
  "both send what they accepted, once";

Deno.test(
  MOVED,
  () =>
    withOwnCluster(
      ({ url: from }) =>
        withOwnCluster(({ url: to }) =>
          withOwnCluster(async ({ url: shakenUrl, crash }) => {
            await numbered(shakenUrl);
            await withPgbouncer(MOVED, from, {}, (pgbouncer) =>
              withFaults(async (t) => {
                await t.platform.configure({ latency_ms: 60 });
                const shaken = await addSendingCompany(t);
                const pool = t.startDispatchers(3);
                await pool.ready();
                const intakes = [t, shaken].map((each) => startIntake(each, { contacts: 10, everyMs: 100 }));
                await untilTaken(t, 200);
                const pooler = { url: pgbouncer.consoleUrl, database: new URL(from).pathname.slice(1) };
                await moveCell({ from, to, pgbouncer: pooler }, { isSwitch: false });
                await pgbouncer.name(to);

                let hasMoved = false;
                const move = moveCell({ from, to, pgbouncer: pooler }, { isSwitch: true })
                  .finally(() => hasMoved = true);
                for (let faults = 0; faults < CRASHES || !hasMoved; faults++) {
                  await Promise.all([crash(), pool.killOne()]);
                }
                const { stopped_ms } = await move;

                await untilTaken(t, (await t.platform.allMessages()).length + 200);
                const accepted = await Promise.all(intakes.map((intake) => intake.stop()));
                await pool.ready();
                await Promise.all([t.settle(), untilOver(shaken.sql)]);
                await pool.stop();

                const messages = await t.platform.allMessages();
                const logs = await Promise.all(
                  [t, shaken].map(({ sql }, cell) =>
                    readSendLog(sql, messages.filter((message) => cellOf(message) === cell))
                  ),
                );
                const refused = intakes.map((intake) => intake.refused());
                printFigures(MOVED, {
                  ...{ "accepted, moved": accepted[0]!, "accepted, shaken": accepted[1]! },
                  ...{ "refused, moved": refused[0]!, "refused, shaken": refused[1]! },
                  "stopped (ms)": stopped_ms!,
                });
                for (const log of logs) assertBalanced(log, { allow: "nothing" });
                assert.deepEqual([logs[0]!.entries.length, refused[0]], [accepted[0], 0]);
                assert.ok(accepted.every((count) => count > 0));
              }, {
                databaseUrl: pgbouncer.url,
                ratePerSecond: RATE_PER_SECOND,
                env: { DATABASE_URLS: `${CELL}=${shakenUrl}`, OUTBOUND_UNCONFIRMED_WINDOW_S: WINDOW_S },
              }));
          })
        ),
      { settings: { wal_level: "logical" } },
    ),
);

/** A company of cell 1 that may send as much as that of cell 0. */
async function addSendingCompany(t: FaultEnvironment): Promise<FaultEnvironment> {
  const { sql } = servicesOfCell(t.services, CELL);
  const tenant = await insertTenant({ sql }, t.platform);
  await sql`update outbound.senders set rate_per_second = ${RATE_PER_SECOND}`;
  await sql`update outbound.api_keys set rate_limit = 1000000, daily_quota = 10000000`;
  return { ...t, ...tenant, sql };
}

async function numbered(url: string): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  await numberCell(sql, CELL);
  await sql.end();
}

/** The company in a message's reference names its cell. */
function cellOf({ biz_opaque_callback_data }: JsonObject): number {
  return cellOfCompany(readReference(biz_opaque_callback_data)!.companyId);
}
