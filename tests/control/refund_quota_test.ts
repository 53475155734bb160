import assert from "node:assert/strict";
import type postgres from "postgres";
import { cancelCampaign } from "../../supabase/functions/_shared/db/campaigns/campaign_control.ts";
import { withTestDatabase } from "../setup/database/database.ts";
import { insertKey } from "../setup/fixtures/fixtures.ts";
import {
  assertConserved,
  claim,
  enqueue,
  fillBucket,
  insertSendingCompany,
  type SendingCompany,
} from "../setup/fixtures/queue.ts";

const HOUR = 3600;
const BY = { actor: "cli" } as const;

/** How much of its quota a company's key has used, by day counted from today. */
async function usedBy(sql: postgres.Sql, company: SendingCompany): Promise<Record<string, number>> {
  const rows = await sql`
    select u.day - (now() at time zone 'UTC')::date as day, u.notifications
    from outbound.usage as u where u.company_id = ${company.id} and u.api_key_id = ${company.key.id}`;
  return Object.fromEntries(rows.map(({ day, notifications }) => [String(day), notifications]));
}

const cancel = (sql: postgres.Sql, { id: companyId }: SendingCompany, campaignId: string) =>
  cancelCampaign(sql, { companyId, campaignId }, BY);

Deno.test("cancelling a scheduled campaign gives its notifications back to the quota, once", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    await enqueue(sql, company, { count: 2 });
    const { campaignId } = await enqueue(sql, company, { count: 5, dueInS: HOUR });
    const before = await usedBy(sql, company);

    await cancel(sql, company, campaignId);
    await cancel(sql, company, campaignId);

    assert.deepEqual([before, await usedBy(sql, company)], [{ 0: 7 }, { 0: 2 }]);
    await assertConserved(sql);
  }));

Deno.test("what comes back goes to the day on which it was accepted, and to no other key", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { campaignId } = await enqueue(sql, company, { count: 5, dueInS: HOUR });
    await sql`update outbound.usage set day = day - 2 where company_id = ${company.id}`;
    await sql`
      update outbound.notification_facts set created_at = created_at - interval '2 days'
      where campaign_id = ${campaignId}`;
    await sql`update outbound.campaigns set created_at = created_at - interval '2 days' where id = ${campaignId}`;
    await enqueue(sql, company, { count: 1 });
    await sql`update outbound.api_keys set is_current = false, is_active = false where id = ${company.key.id}`;
    const other = await insertKey(sql, company.id);
    await sql`
      insert into outbound.usage (company_id, api_key_id, day, notifications)
      select company_id, ${other.id}, day, 9 from outbound.usage where company_id = ${company.id}`;

    await cancel(sql, company, campaignId);

    assert.deepEqual(await usedBy(sql, company), { 0: 1, "-2": 0 });
    assert.deepEqual(await usedBy(sql, { ...company, key: other }), { 0: 9, "-2": 9 });
  }));

Deno.test("a message that was sent, or claimed before, is used", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const now = await enqueue(sql, company, { count: 3 });
    await cancel(sql, company, now.campaignId);
    const { campaignId } = await enqueue(sql, company, { count: 5, dueInS: HOUR });
    await sql`update outbound.queue set run_at = now() where campaign_id = ${campaignId}`;
    await fillBucket(sql, company.sender.id);
    const claimed = await claim(sql, { limit: 2 });
    await sql`
      update outbound.queue set status = 'queued', lease_until = null, worker = null where id = ${
      claimed[0]!.id
    }`;
    await sql`
      update outbound.campaigns set processing = processing - 1, pending = pending + 1 where id = ${campaignId}`;

    await cancel(sql, company, campaignId);

    assert.deepEqual(await usedBy(sql, company), { 0: 3 + 2 });
  }));

Deno.test("a large campaign gives back what each of its steps cancels", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { campaignId } = await enqueue(sql, company, { count: 25, dueInS: HOUR });
    const step = (after: string | null) =>
      sql`select * from outbound.cancel_campaign(${company.id}, ${campaignId}, ${after}, 10)`;

    const used: number[] = [];
    for (let after: string | null = null;;) {
      const [row]: postgres.RowList<postgres.Row[]> = await step(after);
      used.push((await usedBy(sql, company))["0"]!);
      after = row!.last_id;
      if (after === null) break;
    }

    assert.deepEqual(used, [15, 5, 0]);
  }));
