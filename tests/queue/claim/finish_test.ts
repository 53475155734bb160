import assert from "node:assert/strict";
import type postgres from "postgres";
import {
  type ClaimedNotification,
  finishNotifications,
} from "../../../supabase/functions/_shared/db/queue/dispatch_queue.ts";
import { withTestDatabase } from "../../setup/database/database.ts";
import {
  assertConserved,
  claim,
  countersOf,
  enqueue,
  finish,
  insertSendingCompany,
  letTimePass,
  messageId,
  resultOf,
  statesOf,
  statusesOf,
  tickNow,
} from "../../setup/fixtures/queue.ts";

Deno.test("finish_notifications() moves each outcome to its state and its counter", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { campaignId } = await enqueue(sql, company, { count: 6 });
    const claimed = await claim(sql);
    const outcomes = ["sent", "failed", "retry", "not_sent", "unknown", "released"] as const;

    const changed = await finishNotifications(sql, {
      worker: "worker",
      windowS: 120,
      results: claimed.map((notification, index) =>
        resultOf(notification, { outcome: outcomes[index]!, retry_in_s: 30 })
      ),
    });

    assert.equal(changed, 6);
    const states = await statesOf(sql, claimed.map(({ id }) => id));
    assert.deepEqual(states.map(({ status, attempt }) => [status, attempt]), [
      ["sent", 1],
      ["failed", 1],
      ["queued", 1],
      ["queued", 0],
      ["unconfirmed", 1],
      ["queued", 0],
    ]);
    assert.deepEqual(states.map(({ waits_s }) => waits_s > 25), [false, false, true, true, false, false]);
    assert.deepEqual(await countersOf(sql, campaignId), { pending: 3, processing: 1, sent: 1, failed: 1 });
    await assertConserved(sql);
  }));

Deno.test("finish_notifications() keeps a record of every attempt but those that were handed back", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    await enqueue(sql, company);
    await finish(sql, await claim(sql), { outcome: "released" });
    await finish(sql, await claim(sql), {
      outcome: "retry",
      retry_in_s: 0,
      error_code: "131016",
      http_status: 503,
    });
    await finish(sql, await claim(sql), { outcome: "sent", http_status: 200 });

    const attempts = await sql`
      select attempt, fence, outcome, http_status, error_code from outbound.delivery_history order by fence`;
    assert.deepEqual([...attempts], [
      { attempt: 1, fence: 2, outcome: "retry", http_status: 503, error_code: "131016" },
      { attempt: 2, fence: 3, outcome: "sent", http_status: 200, error_code: null },
    ]);
  }));

Deno.test("finish_notifications() writes a first attempt that sent its message into the message's row alone", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    await enqueue(sql, company);
    const claimed = await claim(sql);

    await finish(sql, claimed, { outcome: "sent" });

    const [written] =
      await sql`select (select count(*)::int from outbound.delivery_attempts) as attempts, h.fence,
      h.attempt, h.outcome, h.started_at <= h.finished_at as in_order, h.platform_message_id, h.error_code
      from outbound.delivery_history as h`;
    assert.deepEqual(written, {
      ...{ attempts: 0, fence: 1, attempt: 1, outcome: "sent", in_order: true },
      ...{ platform_message_id: messageId(claimed[0]!.id), error_code: null },
    });
    await finish(sql, claimed, { outcome: "sent" });
    assert.equal((await sql`select from outbound.delivery_history`).length, 1, "recorded twice");
  }));

Deno.test("finish_notifications() completes a campaign with its last message, and only then", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    await enqueue(sql, company, { count: 2 });
    const completed = async () =>
      (await sql`select completed_at is not null as done from outbound.campaigns`)[0]?.done;
    const [first, second] = await claim(sql);

    await finish(sql, [first!], { outcome: "sent" });
    const halfway = await completed();
    await finish(sql, [second!], { outcome: "failed" });

    assert.deepEqual([halfway, await completed()], [false, true]);
  }));

Deno.test("finish_notifications() called twice changes nothing the second time", () =>
  withTestDatabase(async ({ sql }) => {
    for (const outcome of ["sent", "failed", "retry", "not_sent", "unknown", "released"] as const) {
      const company = await insertSendingCompany(sql);
      const { ids } = await enqueue(sql, company);
      const claimed = await claim(sql);
      await finish(sql, claimed, { outcome, retry_in_s: 60 });
      const before = await statesOf(sql, ids);

      const changed = await finish(sql, claimed, { outcome, retry_in_s: 600 });

      assert.equal(changed, 0, outcome);
      const waits = (states: typeof before) =>
        states.map((state) => ({ ...state, waits_s: state.waits_s > 100 }));
      assert.deepEqual(waits(await statesOf(sql, ids)), waits(before));
      await sql`delete from outbound.queue`;
      await sql`delete from outbound.notification_facts`;
      await sql`delete from outbound.campaigns`;
    }
  }));

Deno.test("finish_notifications() lets a worker whose row was claimed again record its attempt and nothing else", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { campaignId, ids } = await enqueue(sql, company);
    const old = await claim(sql, { worker: "slow", leaseS: 1 });
    await letTimePass(sql, 2);
    await tickNow(sql);
    await letTimePass(sql, 121);
    await tickNow(sql);
    const [current] = await claim(sql, { worker: "quick" });

    for (const outcome of ["sent", "failed", "retry", "not_sent", "unknown", "released"] as const) {
      assert.equal(await finish(sql, old, { outcome }, { worker: "slow" }), 0);
      assert.equal(await finish(sql, [{ ...current!, fence: 1 }], { outcome }, { worker: "quick" }), 0);
      assert.equal(await finish(sql, [current!], { outcome }, { worker: "slow" }), 0);
    }

    const [state] = await statesOf(sql, ids);
    assert.deepEqual([state?.status, state?.attempt, state?.fence], ["sending", 2, 2]);
    assert.deepEqual(await countersOf(sql, campaignId), { processing: 1 });
  }));

Deno.test("finish_notifications() believes a late answer as long as nothing was sent again", () =>
  withTestDatabase(async ({ sql }) => {
    for (
      const [outcome, expected] of [["sent", "sent"], ["failed", "failed"], ["not_sent", "queued"]] as const
    ) {
      const company = await insertSendingCompany(sql);
      const { ids } = await enqueue(sql, company);
      const claimed = await claim(sql, { leaseS: 1 });
      await letTimePass(sql, 2);
      await tickNow(sql);

      const changed = await finish(sql, claimed, { outcome, retry_in_s: 0 });

      assert.equal(changed, 1);
      assert.deepEqual(await statusesOf(sql, ids), [expected]);
      await assertConserved(sql);
      await sql`delete from outbound.queue`;
      await sql`delete from outbound.notification_facts`;
      await sql`delete from outbound.campaigns`;
    }
  }));

Deno.test("finish_notifications() calls off the second attempt of a message that was taken after all", () =>
  withTestDatabase(async ({ sql }) => {
    const [resend, hold] = [
      await insertSendingCompany(sql),
      await insertSendingCompany(sql, { onUnknown: "hold" }),
    ];
    const ids = [...(await enqueue(sql, resend)).ids, ...(await enqueue(sql, hold)).ids];
    const claimed = await claim(sql, { leaseS: 1 });
    await letTimePass(sql, 2);
    await tickNow(sql);
    await letTimePass(sql, 121);
    await tickNow(sql);
    assert.deepEqual(await statusesOf(sql, ids), ["queued", "failed"]);

    await finish(sql, claimed, { outcome: "sent" });

    const states = await statesOf(sql, ids);
    assert.deepEqual(
      states.map(({ status, platform_message_id, error_code }) => [status, platform_message_id, error_code]),
      [
        ["sent", messageId(ids[0]!), null],
        ["sent", messageId(ids[1]!), null],
      ],
    );
    await assertConserved(sql);
  }));

/**
 * Claims again, as another worker, what was leased for 10 s and whose outcome was not reported in the 2 minutes after.
 */
async function claimAfterLostLease(sql: postgres.Sql): Promise<ClaimedNotification[]> {
  for (const seconds of [11, 121]) {
    await letTimePass(sql, seconds);
    await tickNow(sql);
  }
  return await claim(sql, { worker: "other" });
}

Deno.test("finish_notifications() believes that an earlier attempt was sent, unless a later one is under way", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { campaignId, ids } = await enqueue(sql, company, { count: 2 });
    const first = await claim(sql, { leaseS: 10 });
    const second = await claimAfterLostLease(sql);
    const unknown = second.filter(({ id }) => id === ids[0]);
    await finish(sql, unknown, { outcome: "unknown" }, { worker: "other" });

    const changed = await finish(sql, first, { outcome: "sent" });

    assert.equal(second.length, 2);
    assert.equal(changed, 1);
    const states = await statesOf(sql, ids);
    assert.deepEqual(states.map(({ status, platform_message_id }) => [status, platform_message_id]), [
      ["sent", messageId(ids[0]!, 1)],
      ["sending", null],
    ]);
    assert.deepEqual(await countersOf(sql, campaignId), { processing: 1, sent: 1 });
    await assertConserved(sql);
  }));

for (const outcome of ["unknown", "retry", "not_sent", "failed"] as const) {
  Deno.test(`finish_notifications() sends nothing a third time that an earlier attempt had sent, after ${outcome}`, () =>
    withTestDatabase(async ({ sql }) => {
      const company = await insertSendingCompany(sql);
      const { campaignId, ids } = await enqueue(sql, company);
      const first = await claim(sql, { leaseS: 10 });
      const second = await claimAfterLostLease(sql);

      await finish(sql, first, { outcome: "sent" });
      await finish(sql, second, { outcome, retry_in_s: 30 }, { worker: "other" });

      const [state] = await statesOf(sql, ids);
      assert.deepEqual([state!.status, state!.platform_message_id], ["sent", messageId(ids[0]!, 1)]);
      assert.deepEqual(await countersOf(sql, campaignId), { sent: 1 });
      await assertConserved(sql);
    }));
}

Deno.test("finish_notifications() believes that an earlier attempt was sent though the last one was refused for now", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { ids } = await enqueue(sql, company);
    const first = await claim(sql, { leaseS: 10 });
    const second = await claimAfterLostLease(sql);
    await finish(sql, second, { outcome: "retry", retry_in_s: 30, error_code: "131056" }, {
      worker: "other",
    });

    await finish(sql, first, { outcome: "sent" });

    assert.deepEqual(await statusesOf(sql, ids), ["sent"]);
    await assertConserved(sql);
  }));
