import assert from "node:assert/strict";
import type postgres from "postgres";
import { settleTemplates } from "../../supabase/functions/_shared/db/queue/dispatch_queue.ts";
import { withPostgresDatabase } from "../setup/database/postgres_database.ts";
import {
  acceptAll,
  assertConserved,
  claim,
  countersOf,
  enqueue,
  fillBucket,
  finish,
  insertSendingCompany,
  requestOf,
  type SendingCompany,
} from "../setup/fixtures/queue.ts";
import { assertNothingLeaves, campaignStatus, heldOf, pause, resume } from "./campaign.ts";
import { untilBlocked, withOpenTransaction } from "./open_transaction.ts";

async function setStatus(sql: postgres.Sql, company: SendingCompany, status: string): Promise<void> {
  await sql`select outbound.set_template_status(${company.id}, ${company.template.id}, ${status})`;
}

async function stop(sql: postgres.Sql, company: SendingCompany): Promise<void> {
  await setStatus(sql, company, "disabled");
  await settleTemplates(sql);
}

async function approve(sql: postgres.Sql, company: SendingCompany): Promise<void> {
  await setStatus(sql, company, "approved");
  await settleTemplates(sql);
}

Deno.test("a campaign that is being accepted while its template is stopped does not leave, and goes on with it", () =>
  withPostgresDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const request = requestOf(company, { count: 3 });

    await withOpenTransaction(sql, async (open, commit) => {
      assert.equal((await acceptAll(open, [request]))[0]?.outcome, "accepted");
      await stop(sql, company);
      await commit();
    });
    const claimed = await claim(sql);
    assert.deepEqual(new Set(claimed.map((each) => each.template_status)), new Set(["disabled"]));
    await finish(sql, claimed, { outcome: "released" });

    assert.equal(await heldOf(sql, request.campaign.id), 3);
    assert.equal(await campaignStatus(sql, request.campaign.id), "paused");
    await fillBucket(sql, company.sender.id);
    await assertNothingLeaves(sql);
    await approve(sql, company);
    assert.equal((await claim(sql)).length, 3);
    await assertConserved(sql);
  }));

Deno.test("holding waits for a claim under way and takes the rest", () =>
  withPostgresDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { campaignId } = await enqueue(sql, company, { count: 5 });

    await withOpenTransaction(sql, async (open, commit) => {
      assert.equal((await claim(open, { limit: 2 })).length, 2);
      const stopping = stop(sql, company);
      await untilBlocked(sql);
      await commit();
      await stopping;
    });

    assert.equal(await heldOf(sql, campaignId), 3);
    assert.deepEqual(await countersOf(sql, campaignId), { pending: 3, processing: 2 });
    await assertConserved(sql);
  }));

Deno.test("notifications that return to the queue while their campaign is being held are held", () =>
  withPostgresDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { campaignId } = await enqueue(sql, company, { count: 3 });
    const claimed = await claim(sql, { limit: 2 });
    await setStatus(sql, company, "disabled");

    await withOpenTransaction(sql, async (open, commit) => {
      await settleTemplates(open);
      const finishing = finish(sql, claimed, { outcome: "released" });
      await untilBlocked(sql);
      await commit();
      assert.equal(await finishing, 2);
    });

    assert.equal(await heldOf(sql, campaignId), 3);
    await assertConserved(sql);
  }));

Deno.test("notifications that return to the queue while their template is being approved are released", () =>
  withPostgresDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { campaignId } = await enqueue(sql, company, { count: 3 });
    const claimed = await claim(sql, { limit: 2 });
    await stop(sql, company);
    await setStatus(sql, company, "approved");

    await withOpenTransaction(sql, async (open, commit) => {
      await finish(open, claimed, { outcome: "released" });
      const settling = settleTemplates(sql);
      await untilBlocked(sql);
      await commit();
      await settling;
    });

    assert.equal(await heldOf(sql, campaignId), 0);
    assert.equal(await campaignStatus(sql, campaignId), "sending");
    await assertConserved(sql);
  }));

Deno.test("a pause that comes while a template releases its campaigns keeps them held", () =>
  withPostgresDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { campaignId } = await enqueue(sql, company, { count: 3 });
    await stop(sql, company);
    await setStatus(sql, company, "approved");

    await withOpenTransaction(sql, async (open, commit) => {
      await pause(open, company.id, campaignId);
      const settling = settleTemplates(sql);
      await untilBlocked(sql);
      await commit();
      await settling;
    });

    assert.equal(await heldOf(sql, campaignId), 3);
    await resume(sql, company.id, campaignId);
    assert.equal(await heldOf(sql, campaignId), 0);
    await assertConserved(sql);
  }));

Deno.test("a template that is stopped while a campaign is resumed keeps it held", () =>
  withPostgresDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { campaignId } = await enqueue(sql, company, { count: 3 });
    await pause(sql, company.id, campaignId);
    await setStatus(sql, company, "disabled");

    await withOpenTransaction(sql, async (open, commit) => {
      await settleTemplates(open);
      const resuming = resume(sql, company.id, campaignId);
      await untilBlocked(sql);
      await commit();
      assert.equal((await resuming).resumed, 0);
    });

    assert.equal(await heldOf(sql, campaignId), 3);
    await approve(sql, company);
    assert.equal(await heldOf(sql, campaignId), 0);
    await assertConserved(sql);
  }));

Deno.test("pauses, stops, claims, refusals and cancellations at the same time end in one state, without a deadlock", () =>
  withPostgresDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const campaigns = [];
    for (let index = 0; index < 4; index++) {
      campaigns.push((await enqueue(sql, company, { count: 40 })).campaignId);
    }
    const [first, second, third, cancelled] = campaigns as [string, string, string, string];

    for (let round = 0; round < 30; round++) {
      const [a, b] = round % 2 === 0 ? [stop, approve] : [approve, stop];
      await Promise.all([
        a(sql, company).then(() => b(sql, company)),
        settleTemplates(sql),
        pause(sql, company.id, first).then(() => resume(sql, company.id, first)),
        resume(sql, company.id, second).then(() => pause(sql, company.id, second)),
        ...["w1", "w2"].map((worker) =>
          claim(sql, { worker, limit: 15 }).then((claimed) =>
            finish(sql, claimed, { outcome: "not_sent" }, { worker })
          )
        ),
        ...(round === 20 ? [sql`select outbound.cancel_campaign(${company.id}, ${cancelled})`] : []),
      ]);
      await settleTemplates(sql);
      const [template] = await sql`select status, unsettled from outbound.templates`;
      const isHeld = template!.status !== "approved";
      assert.equal(template!.unsettled, false);
      // Notifications of a template that was just stopped are free until a claim meets them.
      // They are then handed back, and held.
      for (;;) {
        await sql`update outbound.queue set run_at = now() where run_at > now() and run_at <> 'infinity'`;
        await fillBucket(sql, company.sender.id);
        const claimed = isHeld ? await claim(sql, { worker: "w3" }) : [];
        if (claimed.length === 0) break;
        await finish(sql, claimed, { outcome: "released" }, { worker: "w3" });
      }
      assert.equal(await heldOf(sql, first), isHeld ? 40 : 0, `round ${round}`);
      assert.equal(await heldOf(sql, second), 40, `round ${round}`);
      assert.equal(await heldOf(sql, third), isHeld ? 40 : 0, `round ${round}`);
      await resume(sql, company.id, second);
    }
    assert.deepEqual(await countersOf(sql, cancelled), { cancelled: 40 });
    await assertConserved(sql);
  }));
