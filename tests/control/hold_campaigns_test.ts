import assert from "node:assert/strict";
import type postgres from "postgres";
import { settleTemplates, stopTemplate } from "../../supabase/functions/_shared/db/queue/dispatch_queue.ts";
import { withTestDatabase } from "../setup/database/database.ts";
import {
  acceptAll,
  assertConserved,
  claim,
  countersOf,
  enqueue,
  finish,
  insertSendingCompany,
  letTimePass,
  requestOf,
  type SendingCompany,
  statesOf,
  statusesOf,
  tickNow,
} from "../setup/fixtures/queue.ts";
import { assertNothingLeaves, campaignStatus, heldOf, pause, resume } from "./campaign.ts";

/** Gives a company's template a state, as an operator would, and lets its campaigns follow. */
async function setStatus(sql: postgres.Sql, company: SendingCompany, status: string): Promise<void> {
  await sql`select outbound.set_template_status(${company.id}, ${company.template.id}, ${status})`;
  await settleTemplates(sql);
}

async function heldReason(sql: postgres.Sql, campaignId: string): Promise<string | null> {
  const [row] = await sql<{ held_reason: string | null }[]>`
    select held_reason from outbound.campaigns where id = ${campaignId}`;
  return row!.held_reason;
}

Deno.test("a template that is no longer approved holds its campaigns, due and scheduled, and no others", () =>
  withTestDatabase(async ({ sql }) => {
    const [company, other] = [await insertSendingCompany(sql), await insertSendingCompany(sql)];
    const due = await enqueue(sql, company, { count: 3 });
    const scheduled = await enqueue(sql, company, { count: 2, dueInS: 60 });
    const foreign = await enqueue(sql, other);

    await setStatus(sql, company, "disabled");

    assert.deepEqual([await heldOf(sql, due.campaignId), await heldOf(sql, scheduled.campaignId)], [3, 2]);
    assert.deepEqual(await countersOf(sql, due.campaignId), { pending: 3 });
    assert.deepEqual(await statusesOf(sql, scheduled.ids), ["scheduled", "scheduled"]);
    assert.equal(await campaignStatus(sql, due.campaignId), "paused");
    assert.equal(
      await heldReason(sql, due.campaignId),
      `The template ${company.template.name} is disabled, not approved`,
    );
    assert.deepEqual((await claim(sql)).map(({ id }) => id), foreign.ids);
    await letTimePass(sql, 61);
    await assertNothingLeaves(sql);
    await assertConserved(sql);
  }));

Deno.test("campaigns go on when their template is approved again, at once or at their time", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const due = await enqueue(sql, company, { count: 3 });
    const scheduled = await enqueue(sql, company, { dueInS: 60 });
    await setStatus(sql, company, "rejected");

    await setStatus(sql, company, "approved");

    assert.equal(await heldReason(sql, due.campaignId), null);
    assert.equal(await campaignStatus(sql, due.campaignId), "sending");
    assert.equal(await campaignStatus(sql, scheduled.campaignId), "scheduled");
    assert.deepEqual((await claim(sql)).map(({ id }) => id).sort(), due.ids.sort());
    const [state] = await statesOf(sql, scheduled.ids);
    assert.ok(state!.waits_s > 50 && state!.waits_s <= 60);
    await assertConserved(sql);
  }));

Deno.test("a pause and a template's hold know nothing of each other, whichever comes and goes first", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { campaignId } = await enqueue(sql, company, { count: 2 });
    const stop = () => setStatus(sql, company, "disabled");
    const approve = () => setStatus(sql, company, "approved");
    const held: number[] = [];
    const record = async () => held.push(await heldOf(sql, campaignId));

    for (const order of [[stop, "pause", approve, "resume"], [stop, "pause", "resume", approve]] as const) {
      for (const step of order) {
        if (step === "pause") await pause(sql, company.id, campaignId);
        else if (step === "resume") await resume(sql, company.id, campaignId);
        else await step();
        await record();
      }
    }
    await pause(sql, company.id, campaignId);
    await stop();
    const whilePaused = await resume(sql, company.id, campaignId);
    await record();

    assert.deepEqual(held, [2, 2, 2, 0, 2, 2, 2, 0, 2]);
    assert.deepEqual(whilePaused, { resumed: 0, in_flight: 0 });
    assert.equal(await campaignStatus(sql, campaignId), "paused");
    await assertConserved(sql);
  }));

Deno.test("notifications that return to the queue while their template is not approved are held like all others", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { campaignId, ids } = await enqueue(sql, company, { count: 3 });
    const claimed = await claim(sql);
    await setStatus(sql, company, "disabled");

    await finish(sql, claimed.slice(0, 1), { outcome: "released" });
    await finish(sql, claimed.slice(1, 2), { outcome: "not_sent" });
    await finish(sql, claimed.slice(2), { outcome: "sent" });

    assert.equal(await heldOf(sql, campaignId), 2);
    assert.deepEqual((await statesOf(sql, ids)).map(({ attempt }) => attempt).sort(), [0, 0, 1]);
    assert.deepEqual(await countersOf(sql, campaignId), { pending: 2, sent: 1 });
    await assertConserved(sql);
  }));

Deno.test("notifications claimed with a template stopped meanwhile are held when handed back, before anything settles", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { campaignId } = await enqueue(sql, company, { count: 2 });
    await sql`select outbound.set_template_status(${company.id}, ${company.template.id}, 'pending')`;
    const claimed = await claim(sql);

    await finish(sql, claimed, { outcome: "released" });

    assert.deepEqual(claimed.map(({ template_status }) => template_status), ["pending", "pending"]);
    assert.equal(await heldOf(sql, campaignId), 2);
    assert.match(await heldReason(sql, campaignId) ?? "", /is pending, not approved/);
    await setStatus(sql, company, "approved");
    assert.equal(await heldOf(sql, campaignId), 0);
  }));

Deno.test("notifications held by a template can be cancelled, and expire with the reason", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const cancelled = await enqueue(sql, company, { count: 2 });
    const late = await enqueue(sql, company, { ttlS: 60 });
    await setStatus(sql, company, "disabled");

    await sql`select outbound.cancel_campaign(${company.id}, ${cancelled.campaignId})`;
    await letTimePass(sql, 61);
    assert.equal((await tickNow(sql)).expired, 1);

    assert.deepEqual(await statusesOf(sql, cancelled.ids), ["cancelled", "cancelled"]);
    const [state] = await statesOf(sql, late.ids);
    assert.deepEqual([state?.status, state?.error_code], ["failed", "expired"]);
    assert.match(state?.error_reason ?? "", /The template .* is disabled, not approved/);
    await setStatus(sql, company, "approved");
    assert.deepEqual(await statusesOf(sql, cancelled.ids), ["cancelled", "cancelled"]);
    await assertConserved(sql);
  }));

Deno.test("settle_templates() accepts any number of campaigns, a few at a time", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    await acceptAll(sql, Array.from({ length: 25 }, () => requestOf(company, { count: 2 })));
    const held = async () => {
      const [row] = await sql<{ count: number }[]>`
        select count(*)::int from outbound.notifications where held_run_at is not null`;
      return row!.count;
    };
    const settle = async () => {
      const [row] = await sql<{ more: boolean }[]>`select outbound.settle_templates(10) as more`;
      return row!.more;
    };

    await sql`select outbound.set_template_status(${company.id}, ${company.template.id}, 'disabled')`;
    const steps: [boolean, number][] = [];
    for (let step = 0; step < 4; step++) steps.push([await settle(), await held()]);

    assert.deepEqual(steps, [[true, 20], [true, 40], [true, 50], [false, 50]]);
    await setStatus(sql, company, "approved");
    assert.equal(await held(), 0);
  }));

Deno.test("stop_template() does nothing to a template that was approved after the attempt began", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const stop = { company_id: company.id, template_id: company.template.id, reason: "Paused" };
    const before = new Date(Date.now() - 60_000).toISOString();
    await setStatus(sql, company, "disabled");
    await setStatus(sql, company, "approved");

    await stopTemplate(sql, { ...stop, at: before });
    const [kept] = await sql`select status from outbound.templates where id = ${company.template.id}`;
    await stopTemplate(sql, { ...stop, at: new Date(Date.now() + 1000).toISOString() });
    const [stopped] = await sql`select status from outbound.templates where id = ${company.template.id}`;

    assert.deepEqual([kept?.status, stopped?.status], ["approved", "disabled"]);
  }));
