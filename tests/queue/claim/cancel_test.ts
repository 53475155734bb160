import assert from "node:assert/strict";
import type postgres from "postgres";
import { withTestDatabase } from "../../setup/database/database.ts";
import { insertWebhook, readEvents } from "../../setup/fixtures/webhooks.ts";
import {
  assertConserved,
  claim,
  countersOf,
  enqueue,
  eventOf,
  finish,
  insertSendingCompany,
  letTimePass,
  messageId,
  report,
  type SendingCompany,
  statesOf,
  statusesOf,
  tickNow,
} from "../../setup/fixtures/queue.ts";

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

Deno.test("cancel_campaign() cancels what has not left and reports what is past stopping", () =>
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

Deno.test("a message that is being sent or was cancelled has no reason of an earlier wait", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { campaignId, ids } = await enqueue(sql, company, { count: 3 });
    const reasons = async () => [
      ...await sql`select error_code, error_reason from outbound.notifications where id = any (${ids}) order by id`
        .values(),
    ];
    const closed = {
      outcome: "postponed",
      error_code: "sending_hours",
      reason: "Closed",
      retry_in_s: 60,
    } as const;
    const refused = { outcome: "retry", error_code: "131056", reason: "Too many", retry_in_s: 60 } as const;
    const [first, second, third] = await claim(sql, { limit: 3 });
    await finish(sql, [first!, third!], closed);
    await finish(sql, [second!], refused);
    assert.equal((await reasons()).filter(([code]) => code === null).length, 0);

    await letTimePass(sql, 61);
    const again = await claim(sql, { limit: 3 });
    assert.deepEqual(await reasons(), Array(3).fill([null, null]), "they are being sent");
    await finish(sql, again.slice(0, 1), closed);
    await finish(sql, again.slice(1, 2), refused);
    await cancel(sql, company.id, campaignId);
    await finish(sql, again.slice(2), closed);

    assert.deepEqual(await statusesOf(sql, ids), Array(3).fill("cancelled"));
    assert.deepEqual(
      (await reasons()).toSorted(),
      [[null, null], [null, null], ["131056", "Too many"]],
      "only what the platform said stays",
    );
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

/** A message of unknown outcome that was queued again, and cancelled before the second attempt. */
async function cancelAfterUnknown(sql: postgres.Sql, company: SendingCompany) {
  const { campaignId, ids } = await enqueue(sql, company);
  const claimed = await claim(sql);
  await finish(sql, claimed, { outcome: "unknown" });
  await letTimePass(sql, 121);
  await tickNow(sql);
  assert.deepEqual(await cancel(sql, company.id, campaignId), { cancelled: 1, in_flight: 0 });
  return { campaignId, id: ids[0]!, claimed };
}

Deno.test("a cancelled message that had left all the same becomes what the platform says of it", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const counters = {
      sent: { sent: 1 },
      delivered: { sent: 1, delivered: 1 },
      read: { sent: 1, delivered: 1, read: 1 },
    };
    for (const status of ["sent", "delivered", "read"] as const) {
      const { campaignId, id } = await cancelAfterUnknown(sql, company);

      await report(sql, [eventOf(company.id, id, status)]);

      const [state] = await statesOf(sql, [id]);
      assert.deepEqual([state?.status, state?.platform_message_id], [status, messageId(id)]);
      assert.deepEqual(await countersOf(sql, campaignId), counters[status]);
      assert.equal(await campaignStatus(sql, campaignId), "completed");
    }
    await assertConserved(sql);
  }));

Deno.test("all receipts of a cancelled message are reported to its company", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    await insertWebhook(sql, company.id);
    const { id } = await cancelAfterUnknown(sql, company);

    await report(
      sql,
      (["sent", "delivered", "read"] as const).map((status) => eventOf(company.id, id, status)),
    );

    const types = (await readEvents(sql, company.id)).map(({ type }) => type);
    assert.deepEqual(
      new Set(types),
      new Set([
        "campaign.completed",
        "notification.sent",
        "notification.delivered",
        "notification.read",
      ]),
    );
    assert.equal(types.length, 4);
  }));

Deno.test("a failure changes nothing about a cancelled message, nor does a receipt about one that was never tried", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { id } = await cancelAfterUnknown(sql, company);
    const untried = await enqueue(sql, company);
    const [handedBack] = await claim(sql);
    await finish(sql, [handedBack!], { outcome: "released" });
    await cancel(sql, company.id, untried.campaignId);
    const ids = [id, untried.ids[0]!];

    for (const retryable of [true, false]) {
      await report(sql, [
        eventOf(company.id, id, "failed", { retryable, dedupe_key: crypto.randomUUID() }),
        eventOf(company.id, id, "failed", { retryable, dedupe_key: crypto.randomUUID(), fence: null }),
      ]);
    }
    await report(sql, [eventOf(company.id, untried.ids[0]!, "read")]);

    assert.deepEqual(await statusesOf(sql, ids), ["cancelled", "cancelled"]);
    await assertConserved(sql);
  }));

Deno.test("a late result counts for a cancelled message if the platform took it, and changes nothing otherwise", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const taken = await cancelAfterUnknown(sql, company);
    const refused = await cancelAfterUnknown(sql, company);

    await finish(sql, taken.claimed, { outcome: "sent" });
    for (const outcome of ["failed", "retry", "not_sent", "released", "unknown"] as const) {
      await finish(sql, refused.claimed, { outcome });
    }

    assert.deepEqual(await statusesOf(sql, [taken.id, refused.id]), ["sent", "cancelled"]);
    assert.deepEqual([await countersOf(sql, taken.campaignId), await countersOf(sql, refused.campaignId)], [
      { sent: 1 },
      { cancelled: 1 },
    ]);
    await assertConserved(sql);
  }));
