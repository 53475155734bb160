import assert from "node:assert/strict";
import type postgres from "postgres";
import { withTestDatabase } from "../setup/database.ts";
import {
  assertConserved,
  claim,
  countersOf,
  enqueue,
  eventOf,
  finish,
  insertSendingCompany,
  letTimePass,
  report,
  statesOf,
  statusesOf,
  tickNow,
} from "./queue.ts";

async function cancel(sql: postgres.Sql, companyId: string, campaignId: string) {
  const [row] = await sql<{ cancelled: number; in_flight: number }[]>`
    select cancelled, in_flight from outbound.cancel_campaign(${companyId}, ${campaignId})`;
  return row!;
}

async function campaignStatus(sql: postgres.Sql, campaignId: string): Promise<string> {
  const [row] = await sql<{ status: string }[]>`
    select outbound.campaign_status(g) as status from outbound.campaigns as g where id = ${campaignId}`;
  return row!.status;
}

Deno.test("cancel_campaign() stops what has not left and tells what is past stopping", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { campaignId, ids } = await enqueue(sql, company, { count: 5 });
    const other = await enqueue(sql, company, { dueInS: 60 });
    const claimed = await claim(sql, { limit: 2 });
    await finish(sql, claimed.slice(0, 1), { outcome: "sent" });

    const result = await cancel(sql, company.id, campaignId);

    assert.deepEqual(result, { cancelled: 3, in_flight: 1 });
    assert.deepEqual(await countersOf(sql, campaignId), { cancelled: 3, processing: 1, sent: 1 });
    assert.deepEqual(await statusesOf(sql, other.ids), ["scheduled"]);
    assert.equal(ids.length, 5);
    assert.equal(await campaignStatus(sql, campaignId), "sending");
    await finish(sql, claimed.slice(1), { outcome: "sent" });
    assert.equal(await campaignStatus(sql, campaignId), "completed");
    await assertConserved(sql);
  }));

Deno.test("cancel_campaign() cancels a scheduled campaign whole, and again without harm", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { campaignId } = await enqueue(sql, company, { dueInS: 60, count: 2 });

    const results = [await cancel(sql, company.id, campaignId), await cancel(sql, company.id, campaignId)];

    assert.deepEqual(results, [{ cancelled: 2, in_flight: 0 }, { cancelled: 0, in_flight: 0 }]);
    assert.equal(await campaignStatus(sql, campaignId), "cancelled");
    await letTimePass(sql, 61);
    await tickNow(sql);
    assert.deepEqual(await claim(sql), []);
  }));

Deno.test("cancel_campaign() does nothing for another company", () =>
  withTestDatabase(async ({ sql }) => {
    const [company, other] = [await insertSendingCompany(sql), await insertSendingCompany(sql)];
    const { campaignId, ids } = await enqueue(sql, company);

    const result = await cancel(sql, other.id, campaignId);

    assert.deepEqual(result, { cancelled: 0, in_flight: null });
    assert.deepEqual(await statusesOf(sql, ids), ["queued"]);
  }));

Deno.test("a cancelled campaign takes nothing back into the queue", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { campaignId, ids } = await enqueue(sql, company, { count: 6 });
    const claimed = await claim(sql);
    await finish(sql, claimed.slice(0, 2), { outcome: "unknown" });
    await cancel(sql, company.id, campaignId);

    await finish(sql, claimed.slice(2, 3), { outcome: "retry", retry_in_s: 0 });
    await finish(sql, claimed.slice(3, 4), { outcome: "not_sent", retry_in_s: 0 });
    await finish(sql, claimed.slice(4, 5), { outcome: "released" });
    await finish(sql, claimed.slice(5), { outcome: "sent" });
    await report(sql, [eventOf(company.id, claimed[0]!.id, "failed", { retryable: true })]);
    await letTimePass(sql, 121);
    await tickNow(sql);

    const states = await statesOf(sql, claimed.map(({ id }) => id));
    assert.deepEqual(states.map(({ status, error_code }) => [status, error_code]), [
      ["cancelled", "131026"],
      ["failed", "outcome_unknown"],
      ["cancelled", null],
      ["cancelled", null],
      ["cancelled", null],
      ["sent", null],
    ]);
    assert.deepEqual(await countersOf(sql, campaignId), { cancelled: 4, failed: 1, sent: 1 });
    assert.equal(ids.length, 6);
    await assertConserved(sql);
  }));
