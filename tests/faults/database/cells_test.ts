import assert from "node:assert/strict";
import postgres from "postgres";
import { cellOfCompany } from "../../../supabase/functions/_shared/cells.ts";
import { numberCell } from "../../../supabase/functions/_shared/db/queue/cell.ts";
import { readReference } from "../../../supabase/functions/_shared/dispatching/reference.ts";
import { servicesOfCell } from "../../../supabase/functions/_shared/services.ts";
import type { JsonObject } from "../../setup/http/http.ts";
import { insertTenant } from "../../setup/stack/stack.ts";
import { printFigures } from "../figures.ts";
import { startIntake } from "../intake.ts";
import { assertBalanced, readSendLog } from "../send_log.ts";
import { untilOver, withFaults } from "../with_faults.ts";
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
      const { sql } = servicesOfCell(t.services, CELL);
      const tenant = await insertTenant({ sql }, t.platform);
      await sql`update outbound.senders set rate_per_second = ${RATE_PER_SECOND}`;
      await sql`update outbound.api_keys set rate_limit = 1000000, daily_quota = 10000000`;
      const pool = t.startDispatchers(2);
      await pool.ready();
      const steady = startIntake(t, { contacts: 10, everyMs: 100 });
      const shaken = startIntake({ ...t, ...tenant, sql }, { contacts: 10, everyMs: 100 });

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

async function numbered(url: string): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  await numberCell(sql, CELL);
  await sql.end();
}

/** The company in a message's reference names its cell. */
function cellOf({ biz_opaque_callback_data }: JsonObject): number {
  return cellOfCompany(readReference(biz_opaque_callback_data)!.companyId);
}
