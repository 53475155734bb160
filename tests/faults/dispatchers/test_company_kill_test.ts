import assert from "node:assert/strict";
import { openTestCompany } from "../../../supabase/functions/_shared/db/access/test_companies.ts";
import { inTheEnd } from "../../setup/eventually.ts";
import { insertKey, type SenderFixture } from "../../setup/fixtures/fixtures.ts";
import { printFigures } from "../figures.ts";
import { insertCampaign } from "../insert_campaign.ts";
import { type FaultEnvironment, withFaults } from "../with_faults.ts";

const MESSAGES = 10_000;
const KILLS = 10;

/** The test company of the environment's company, with a key and nothing that limits it. */
async function insertTestTenant({ sql, company, sender, template }: FaultEnvironment) {
  const test = await openTestCompany(sql, company.id, { dailyQuota: MESSAGES }, { actor: "cli" });
  const [own] = await sql<SenderFixture[]>`
    update outbound.senders set rate_per_second = 1000 where company_id = ${test!.company_id} returning *`;
  const key = await insertKey(sql, test!.company_id, { name: "CI", daily_quota: MESSAGES });
  const ofTest = { id: test!.company_id, name: test!.name };
  return { company: ofTest, key, sender: { ...own!, token: sender.token }, template };
}

Deno.test("10,000 messages of a test key, while dispatchers are killed: all are read, and none reaches the platform", () =>
  withFaults(async (t) => {
    const tenant = await insertTestTenant(t);
    const { requests } = await t.platform.stats();
    const startedMs = performance.now();

    await insertCampaign({ sql: t.sql, ...tenant }, { count: MESSAGES });
    const pool = t.startDispatchers(2);
    await pool.ready();
    for (let kill = 1; kill <= KILLS; kill++) {
      // Spread over the campaign: after each tenth of it.
      await inTheEnd(async () => assert.ok(await countOf(t, "read") >= (kill - 1) * MESSAGES / (KILLS + 1)));
      await pool.killOne();
    }
    await inTheEnd(async () => assert.equal(await countOf(t, "read"), MESSAGES));
    await pool.stop();

    printFigures("test company, 10 x kill -9", {
      messages: MESSAGES,
      "per second": Math.round(MESSAGES / (performance.now() - startedMs) * 1000),
      "unknown outcomes": await t.unknownAttempts(),
    });
    assert.equal((await t.platform.stats()).requests, requests);
    assert.deepEqual(await t.platform.allMessages(), []);
    const [row] = await t.sql`
      select total, sent, delivered, read, pending + processing as open from outbound.campaigns`;
    assert.deepEqual(row, { total: MESSAGES, sent: MESSAGES, delivered: MESSAGES, read: MESSAGES, open: 0 });
    const [live] = await t.sql`
      select (select count(*)::int from outbound.usage where company_id = ${t.company.id}) as usage,
        (select count(*)::int from outbound.campaign_pricing) as prices`;
    assert.deepEqual(live, { usage: 0, prices: 0 });
  }, { ratePerSecond: 400 }));

/** Returns how many notifications are in a state. */
async function countOf({ sql }: FaultEnvironment, status: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from outbound.notifications where status = ${status}`;
  return row!.count;
}
