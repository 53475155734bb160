import assert from "node:assert/strict";
import { lookAhead } from "../../supabase/functions/_shared/db/queue/dispatch_queue.ts";
import { withTestDatabase } from "../setup/database/database.ts";
import {
  assertConserved,
  claim,
  countersOf,
  enqueue,
  eventOf,
  fillBucket,
  finish,
  insertSendingCompany,
  letTimePass,
  report,
  statesOf,
  statusesOf,
  tickNow,
} from "../setup/fixtures/queue.ts";
import { assertNothingLeaves, campaignStatus, heldOf, pause, resume } from "./campaign.ts";

Deno.test("pause_campaign() holds what has not left and counts what a dispatcher has", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { campaignId } = await enqueue(sql, company, { count: 5 });
    const claimed = await claim(sql, { limit: 2 });
    await finish(sql, claimed.slice(0, 1), { outcome: "sent" });
    const before = await countersOf(sql, campaignId);

    const result = await pause(sql, company.id, campaignId);

    assert.deepEqual(result, { paused: 3, in_flight: 1 });
    assert.equal(await campaignStatus(sql, campaignId), "paused");
    assert.deepEqual(await countersOf(sql, campaignId), before);
    await fillBucket(sql, company.sender.id);
    await assertNothingLeaves(sql);
    await assertConserved(sql);
  }));

Deno.test("pause_campaign() and resume_campaign() may be called twice", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { campaignId } = await enqueue(sql, company, { count: 2 });

    const pauses = [await pause(sql, company.id, campaignId), await pause(sql, company.id, campaignId)];
    const resumes = [await resume(sql, company.id, campaignId), await resume(sql, company.id, campaignId)];

    assert.deepEqual(pauses, [{ paused: 2, in_flight: 0 }, { paused: 0, in_flight: 0 }]);
    assert.deepEqual(resumes, [{ resumed: 2, in_flight: 0 }, { resumed: 0, in_flight: 0 }]);
    assert.equal(await campaignStatus(sql, campaignId), "sending");
    assert.equal((await claim(sql)).length, 2);
  }));

Deno.test("pause_campaign() leaves another company's campaign and a campaign that is over alone", () =>
  withTestDatabase(async ({ sql }) => {
    const [company, other] = [await insertSendingCompany(sql), await insertSendingCompany(sql)];
    const waiting = await enqueue(sql, company);
    const over = await enqueue(sql, other);
    await finish(sql, (await claim(sql)).filter(({ company_id }) => company_id === other.id), {
      outcome: "sent",
    });

    assert.deepEqual(await pause(sql, other.id, waiting.campaignId), { paused: 0, in_flight: null });
    assert.deepEqual(await pause(sql, other.id, over.campaignId), { paused: 0, in_flight: 0 });
    assert.equal(await campaignStatus(sql, over.campaignId), "completed");
    assert.equal(await heldOf(sql, waiting.campaignId), 0);
  }));

Deno.test("pause_campaign() holds nothing of the company's other campaigns", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const paused = await enqueue(sql, company, { count: 3 });
    const other = await enqueue(sql, company, { count: 2 });

    await pause(sql, company.id, paused.campaignId);

    const claimed = await claim(sql);
    assert.deepEqual(claimed.map(({ id }) => id).sort(), other.ids.sort());
  }));

Deno.test("a paused scheduled campaign that is resumed before its time leaves at its time", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { campaignId, ids } = await enqueue(sql, company, { dueInS: 60 });
    await pause(sql, company.id, campaignId);
    assert.equal(await campaignStatus(sql, campaignId), "paused");

    await resume(sql, company.id, campaignId);

    assert.equal(await campaignStatus(sql, campaignId), "scheduled");
    const [state] = await statesOf(sql, ids);
    assert.equal(state!.status, "scheduled");
    assert.ok(state!.waits_s > 50 && state!.waits_s <= 60, `waits ${state!.waits_s} s`);
    await assertNothingLeaves(sql);
  }));

Deno.test("a paused scheduled campaign that is resumed after its time leaves at once", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { campaignId, ids } = await enqueue(sql, company, { dueInS: 60 });
    await pause(sql, company.id, campaignId);
    await sql`update outbound.queue set held_run_at = held_run_at - interval '61 seconds'`;
    await letTimePass(sql, 61);
    await tickNow(sql);
    await assertNothingLeaves(sql);

    await resume(sql, company.id, campaignId);

    assert.deepEqual((await claim(sql)).map(({ id }) => id), ids);
  }));

Deno.test("a paused campaign holds whatever comes back to the queue", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { campaignId } = await enqueue(sql, company, { count: 6 });
    const claimed = await claim(sql);
    await finish(sql, claimed.slice(0, 2), { outcome: "unknown" });
    assert.deepEqual(await pause(sql, company.id, campaignId), { paused: 0, in_flight: 6 });

    await finish(sql, claimed.slice(2, 3), { outcome: "retry", retry_in_s: 0 });
    await finish(sql, claimed.slice(3, 4), { outcome: "not_sent", retry_in_s: 0 });
    await finish(sql, claimed.slice(4, 5), { outcome: "released" });
    await finish(sql, claimed.slice(5), { outcome: "sent" });
    await report(sql, [eventOf(company.id, claimed[0]!.id, "failed", { retryable: true })]);
    await letTimePass(sql, 121);
    await tickNow(sql);

    assert.deepEqual(await countersOf(sql, campaignId), { pending: 5, sent: 1 });
    assert.equal(await heldOf(sql, campaignId), 5);
    await fillBucket(sql, company.sender.id);
    await assertNothingLeaves(sql);
    await assertConserved(sql);
    assert.equal((await resume(sql, company.id, campaignId)).resumed, 5);
    await letTimePass(sql, 30);
    assert.equal((await claim(sql)).length, 5);
  }));

Deno.test("the wait after a refusal runs on while a campaign is paused", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { campaignId, ids } = await enqueue(sql, company);
    await finish(sql, await claim(sql), { outcome: "retry", retry_in_s: 40 });

    await pause(sql, company.id, campaignId);
    await resume(sql, company.id, campaignId);

    const [state] = await statesOf(sql, ids);
    assert.ok(state!.waits_s > 30 && state!.waits_s <= 40, `waits ${state!.waits_s} s`);
  }));

Deno.test("paused notifications still expire", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { campaignId, ids } = await enqueue(sql, company, { count: 2, ttlS: 60 });
    await pause(sql, company.id, campaignId);

    await letTimePass(sql, 61);
    await tickNow(sql);

    const states = await statesOf(sql, ids);
    assert.deepEqual(states.map(({ status, error_code }) => [status, error_code]), [
      ["failed", "expired"],
      ["failed", "expired"],
    ]);
    assert.equal(await campaignStatus(sql, campaignId), "completed");
    assert.deepEqual(await resume(sql, company.id, campaignId), { resumed: 0, in_flight: 0 });
    await assertConserved(sql);
  }));

Deno.test("cancel_campaign() stops a paused campaign", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { campaignId, ids } = await enqueue(sql, company, { count: 3 });
    await pause(sql, company.id, campaignId);

    const [result] = await sql`
      select cancelled, in_flight from outbound.cancel_campaign(${company.id}, ${campaignId})`;

    assert.deepEqual({ ...result }, { cancelled: 3, in_flight: 0 });
    assert.deepEqual(await statusesOf(sql, ids), ["cancelled", "cancelled", "cancelled"]);
    assert.equal(await campaignStatus(sql, campaignId), "cancelled");
    assert.equal((await resume(sql, company.id, campaignId)).resumed, 0);
    await assertConserved(sql);
  }));

Deno.test("the platform's word about an earlier attempt settles a held notification", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { campaignId, ids } = await enqueue(sql, company);
    await finish(sql, await claim(sql), { outcome: "retry", retry_in_s: 0 });
    await pause(sql, company.id, campaignId);

    await report(sql, [eventOf(company.id, ids[0]!, "delivered")]);

    assert.deepEqual(await statusesOf(sql, ids), ["delivered"]);
    assert.equal(await heldOf(sql, campaignId), 0);
    await assertConserved(sql);
  }));

Deno.test("lookAhead() does not count what is held", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { campaignId } = await enqueue(sql, company);
    await pause(sql, company.id, campaignId);
    assert.equal((await lookAhead(sql)).ms, null);

    await enqueue(sql, company, { dueInS: 60 });

    const { ms: wait } = await lookAhead(sql);
    assert.ok(wait !== null && wait > 50_000 && wait <= 60_000, `${wait} ms`);
  }));

Deno.test("a notification cannot be held while it is being sent, nor due at infinity without being held", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    await enqueue(sql, company);
    const refused = { constraint_name: "queue_state_check" };

    await assert.rejects(sql`update outbound.queue set run_at = 'infinity'`, refused);
    await assert.rejects(sql`update outbound.queue set held_run_at = run_at`, refused);
    await claim(sql);
    await assert.rejects(sql`update outbound.queue set held_run_at = run_at, run_at = 'infinity'`, refused);
  }));
