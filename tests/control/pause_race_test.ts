import assert from "node:assert/strict";
import { claimNotifications } from "../../supabase/functions/_shared/db/queue/dispatch_queue.ts";
import { withPostgresDatabase } from "../setup/database/postgres_database.ts";
import {
  assertConserved,
  claim,
  countersOf,
  enqueue,
  fillBucket,
  finish,
  insertSendingCompany,
} from "../setup/fixtures/queue.ts";
import { assertNothingLeaves, campaignStatus, heldOf, pause, resume } from "./campaign.ts";
import { untilBlocked, withOpenTransaction } from "./open_transaction.ts";

Deno.test("a pause waits for a claim under way and counts what it takes", () =>
  withPostgresDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { campaignId } = await enqueue(sql, company, { count: 5 });

    await withOpenTransaction(sql, async (open, commit) => {
      assert.equal((await claim(open, { limit: 2 })).length, 2);
      const pausing = pause(sql, company.id, campaignId);
      await untilBlocked(sql);
      await commit();

      assert.deepEqual(await pausing, { paused: 3, in_flight: 2 });
    });
    assert.deepEqual(await countersOf(sql, campaignId), { pending: 3, processing: 2 });
    await fillBucket(sql, company.sender.id);
    await assertNothingLeaves(sql);
    await assertConserved(sql);
  }));

Deno.test("a claim that chose a notification just before it was held passes it by", () =>
  withPostgresDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { campaignId } = await enqueue(sql, company, { count: 3 });

    await withOpenTransaction(sql, async (open, commit) => {
      await pause(open, company.id, campaignId);
      let claimed = false;
      const claiming = claimNotifications(sql, { worker: "late", limit: 10, leaseS: 60 })
        .finally(() => claimed = true);
      await untilBlocked(sql, () => claimed);
      await commit();

      assert.deepEqual([...await claiming], []);
    });
    assert.equal(await heldOf(sql, campaignId), 3);
    assert.deepEqual(await countersOf(sql, campaignId), { pending: 3 });
    await assertConserved(sql);
  }));

Deno.test("a pause waits for what is just coming back to the queue, and holds it", () =>
  withPostgresDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { campaignId } = await enqueue(sql, company, { count: 3 });
    const claimed = await claim(sql);

    await withOpenTransaction(sql, async (open, commit) => {
      await finish(open, claimed.slice(0, 2), { outcome: "released" });
      const pausing = pause(sql, company.id, campaignId);
      await untilBlocked(sql);
      await commit();

      assert.deepEqual(await pausing, { paused: 2, in_flight: 1 });
    });
    assert.equal(await heldOf(sql, campaignId), 2);
    await fillBucket(sql, company.sender.id);
    await assertNothingLeaves(sql);
    await assertConserved(sql);
  }));

Deno.test("notifications that return to the queue while a pause is under way are held", () =>
  withPostgresDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { campaignId } = await enqueue(sql, company, { count: 3 });
    const claimed = await claim(sql);

    await withOpenTransaction(sql, async (open, commit) => {
      assert.deepEqual(await pause(open, company.id, campaignId), { paused: 0, in_flight: 3 });
      const finishing = finish(sql, claimed.slice(0, 2), { outcome: "released" });
      await untilBlocked(sql);
      await commit();

      assert.equal(await finishing, 2);
    });
    assert.equal(await heldOf(sql, campaignId), 2);
    await assertConserved(sql);
  }));

Deno.test("notifications that return to the queue during a resume are released", () =>
  withPostgresDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { campaignId } = await enqueue(sql, company, { count: 3 });
    const claimed = await claim(sql);
    await pause(sql, company.id, campaignId);

    await withOpenTransaction(sql, async (open, commit) => {
      await finish(open, claimed.slice(0, 2), { outcome: "released" });
      const resuming = resume(sql, company.id, campaignId);
      await untilBlocked(sql);
      await commit();

      assert.deepEqual(await resuming, { resumed: 2, in_flight: 1 });
    });
    assert.equal(await heldOf(sql, campaignId), 0);
    await fillBucket(sql, company.sender.id);
    assert.equal((await claim(sql)).length, 2);
    await assertConserved(sql);
  }));

Deno.test("pauses and resumes at the same time leave a campaign either held or released, never in between", () =>
  withPostgresDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { campaignId } = await enqueue(sql, company, { count: 200 });

    for (let round = 0; round < 60; round++) {
      await Promise.all([
        ...[pause, resume, pause, resume, pause, resume].map((change) => change(sql, company.id, campaignId)),
        claim(sql, { limit: 5 }).then((claimed) => finish(sql, claimed, { outcome: "released" })),
      ]);

      const status = await campaignStatus(sql, campaignId);
      assert.equal(await heldOf(sql, campaignId), status === "paused" ? 200 : 0, status);
      await fillBucket(sql, company.sender.id);
    }
    await assertConserved(sql);
  }));
