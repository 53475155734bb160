import assert from "node:assert/strict";
import { connect } from "../../../supabase/functions/_shared/db/driver/connect.ts";
import { eventually } from "../../setup/eventually.ts";
import { insertCampaign } from "../insert_campaign.ts";
import { assertBalanced } from "../send_log.ts";
import { withFaults } from "../with_faults.ts";

const COUNT = 5;
/** Longer than half the lease of 2 s. */
const LATE_MS = 1500;

Deno.test("what a claim got whose answer came late is handed back and not sent on an old lease", () =>
  withFaults(async (t) => {
    await insertCampaign(t, { count: COUNT });
    const other = connect(t.databaseUrl, { max: 1 });
    await other.begin(async (transaction) => {
      await transaction`select 1 from outbound.campaigns for update`;
      t.startDispatchers(1);
      await eventually(async () => {
        const [row] = await t.sql`select count(*)::int from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and query like '%claim_notifications%'`;
        assert.equal(row?.count, 1);
      }, 30_000);
      await new Promise((resolve) => setTimeout(resolve, LATE_MS));
    });
    await other.end();
    await t.settle();

    assertBalanced(await t.sendLog(), { allow: "nothing" });
    const rows = await t.sql`select fence, attempt, count(*)::int from outbound.notifications group by 1, 2`;
    assert.deepEqual([...rows], [{ fence: 2, attempt: 1, count: COUNT }]);
    assert.equal(await t.unknownAttempts(), 0);
  }, { ratePerSecond: 1000 }));
