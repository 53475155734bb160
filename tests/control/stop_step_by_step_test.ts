import assert from "node:assert/strict";
import type postgres from "postgres";
import { continueStopping } from "../../supabase/functions/_shared/db/campaigns/campaign_control.ts";
import {
  assertConserved,
  claim,
  countersOf,
  enqueue,
  fillBucket,
  insertSendingCompany,
  type SendingCompany,
  statusesOf,
} from "../setup/fixtures/queue.ts";
import { withTestDatabase } from "../setup/database/database.ts";
import { campaignStatus, heldOf, resume } from "./campaign.ts";

const LARGE = 25;
const STEP = 10;

interface Step {
  changed: number;
  in_flight: number | null;
  last_id: string | null;
}

/** One step of a cancellation or a pause, of ten notifications. */
async function stop(
  sql: postgres.Sql,
  how: "cancel" | "pause",
  { company, campaignId, after = null }: {
    company: SendingCompany;
    campaignId: string;
    after?: string | null;
  },
): Promise<Step> {
  const [row] = how === "cancel"
    ? await sql<Step[]>`select cancelled as changed, in_flight, last_id
        from outbound.cancel_campaign(${company.id}, ${campaignId}, ${after}, ${STEP})`
    : await sql<Step[]>`select paused as changed, in_flight, last_id
        from outbound.pause_campaign(${company.id}, ${campaignId}, ${after}, ${STEP})`;
  return row!;
}

/** A large campaign, one of whose messages is on its way, and after it a small one of the same sender. */
async function withCampaigns(
  fn: (t: {
    sql: postgres.Sql;
    company: SendingCompany;
    campaignId: string;
    other: { campaignId: string; ids: string[] };
  }) => Promise<void>,
): Promise<void> {
  await withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { campaignId } = await enqueue(sql, company, { count: LARGE + 1 });
    assert.equal((await claim(sql, { limit: 1 })).length, 1);
    const other = await enqueue(sql, company, { count: 5 });
    await fillBucket(sql, company.sender.id);
    await fn({ sql, company, campaignId, other });
    await assertConserved(sql);
  });
}

for (const how of ["cancel", "pause"] as const) {
  Deno.test(`${how}_campaign() goes step by step, and the sender's other campaign goes on meanwhile`, () =>
    withCampaigns(async ({ sql, company, campaignId, other }) => {
      const first = await stop(sql, how, { company, campaignId });
      const between = await claim(sql, { limit: 100 });
      const second = await stop(sql, how, { company, campaignId, after: first.last_id });
      const third = await stop(sql, how, { company, campaignId, after: second.last_id });

      assert.deepEqual(between.map(({ id }) => id).toSorted(), other.ids.toSorted());
      assert.deepEqual([first, second, third].map(({ changed }) => changed), [STEP, STEP, LARGE - 2 * STEP]);
      assert.deepEqual([third.in_flight, third.last_id], [1, null]);
      const [row] = await sql`select stopping_at from outbound.campaigns where id = ${campaignId}`;
      assert.equal(row!.stopping_at, null);
      await fillBucket(sql, company.sender.id);
      assert.deepEqual(await claim(sql, { limit: 100 }), []);
    }));

  Deno.test(`${how}_campaign() that was left half-way is finished by a dispatcher, and nothing leaves until then`, () =>
    withCampaigns(async ({ sql, company, campaignId }) => {
      await stop(sql, how, { company, campaignId });
      await continueStopping(sql); // the process that began may still be at it
      const left = await sql`select from outbound.campaigns where stopping_at is not null`;
      await sql`update outbound.campaigns set stopping_at = now() - interval '11 seconds' where stopping_at is not null`;

      await continueStopping(sql);

      assert.equal(left.length, 1);
      const held = await heldOf(sql, campaignId);
      const { cancelled = 0 } = await countersOf(sql, campaignId);
      assert.deepEqual([held, cancelled], how === "cancel" ? [0, LARGE] : [LARGE, 0]);
      assert.deepEqual([...await sql`select from outbound.campaigns where stopping_at is not null`], []);
    }));
}

Deno.test("a campaign that is resumed between two steps of a pause stays resumed", () =>
  withCampaigns(async ({ sql, company, campaignId }) => {
    const first = await stop(sql, "pause", { company, campaignId });
    await resume(sql, company.id, campaignId);

    const second = await stop(sql, "pause", { company, campaignId, after: first.last_id });

    assert.deepEqual([second.changed, second.last_id, await heldOf(sql, campaignId)], [0, null, 0]);
    assert.equal(await campaignStatus(sql, campaignId), "sending");
    await fillBucket(sql, company.sender.id);
    assert.equal((await claim(sql, { limit: 100 })).length, LARGE + 5);
  }));

Deno.test("notifications that return to the queue between two steps of a cancellation are cancelled", () =>
  withCampaigns(async ({ sql, company, campaignId }) => {
    const [flying] = await sql<{ id: string; fence: number }[]>`
      select id, fence from outbound.notifications where status = 'sending'`;
    const first = await stop(sql, "cancel", { company, campaignId });
    await sql`select outbound.finish_notifications('worker', ${
      sql.json([{
        company_id: company.id,
        id: flying!.id,
        fence: flying!.fence,
        attempt: 1,
        outcome: "released",
      }])
    }, '120 s')`;
    const second = await stop(sql, "cancel", { company, campaignId, after: first.last_id });
    await stop(sql, "cancel", { company, campaignId, after: second.last_id });

    assert.deepEqual(await statusesOf(sql, [flying!.id]), ["cancelled"]);
    assert.deepEqual(await countersOf(sql, campaignId), { cancelled: LARGE + 1 });
  }));

Deno.test("a step of a pause that is over leaves a cancellation that is under way alone", () =>
  withCampaigns(async ({ sql, company, campaignId, other }) => {
    const pausing = await stop(sql, "pause", { company, campaignId });
    await resume(sql, company.id, campaignId);
    const cancelling = await stop(sql, "cancel", { company, campaignId });

    await stop(sql, "pause", { company, campaignId, after: pausing.last_id });

    assert.deepEqual((await claim(sql, { limit: 100 })).map(({ id }) => id).toSorted(), other.ids.toSorted());
    const second = await stop(sql, "cancel", { company, campaignId, after: cancelling.last_id });
    await stop(sql, "cancel", { company, campaignId, after: second.last_id });
    assert.deepEqual(await countersOf(sql, campaignId), { processing: 1, cancelled: LARGE });
  }));
