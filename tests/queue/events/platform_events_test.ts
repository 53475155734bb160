import assert from "node:assert/strict";
import type postgres from "postgres";
import type { ClaimedNotification } from "../../../supabase/functions/_shared/db/queue/dispatch_queue.ts";
import {
  applyPlatformEvents,
  type PlatformEvent,
  storePlatformEvents,
} from "../../../supabase/functions/_shared/db/queue/platform_events.ts";
import { withTestDatabase } from "../../setup/database/database.ts";
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

/** Our reference did not come back: only the account says that a sender of ours sent it. */
function withoutReference({ sender }: SendingCompany): Partial<PlatformEvent> {
  return { company_id: null, notification_id: null, waba_id: sender.waba_id };
}

/** How many events were of other systems, by reason. */
async function foreignEvents(sql: postgres.Sql): Promise<Record<string, number>> {
  const rows = await sql<{ reason: string; events: number }[]>`
    select reason, sum(events)::int as events from outbound.foreign_events group by reason`;
  return Object.fromEntries(rows.map(({ reason, events }) => [reason, events]));
}

async function sendOne(
  sql: postgres.Sql,
  company: SendingCompany,
): Promise<{ campaignId: string; id: string }> {
  const { campaignId, ids } = await enqueue(sql, company);
  await finish(sql, await claim(sql), { outcome: "sent" });
  return { campaignId, id: ids[0]! };
}

async function loseOne(
  sql: postgres.Sql,
  company: SendingCompany,
): Promise<{ campaignId: string; id: string }> {
  const { campaignId, ids } = await enqueue(sql, company);
  await finish(sql, await claim(sql), { outcome: "unknown" });
  return { campaignId, id: ids[0]! };
}

Deno.test("apply_platform_events() counts each stage of a message once, however often it is reported", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { campaignId, id } = await sendOne(sql, company);
    const counters: Record<string, number>[] = [];

    for (const status of ["sent", "delivered", "read"] as const) {
      await report(sql, [eventOf(company.id, id, status), eventOf(company.id, id, status)]);
      await report(sql, [eventOf(company.id, id, status, { dedupe_key: crypto.randomUUID() })]);
      counters.push(await countersOf(sql, campaignId));
    }

    assert.deepEqual(counters, [
      { sent: 1 },
      { sent: 1, delivered: 1 },
      { sent: 1, delivered: 1, read: 1 },
    ]);
    await assertConserved(sql);
  }));

Deno.test("store_platform_events() stores an event once", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { id } = await loseOne(sql, company);
    const event = eventOf(company.id, id, "delivered");

    const stored = [await storePlatformEvents(sql, [event, event]), await storePlatformEvents(sql, [event])];

    assert.deepEqual(stored, [1, 0]);
    assert.deepEqual([await applyPlatformEvents(sql, 10), await applyPlatformEvents(sql, 10)], [1, 0]);
  }));

Deno.test("store_platform_events() applies the receipts of a sent message at once, and stores none that says no more", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { id } = await sendOne(sql, company);
    const event = (status: PlatformEvent["status"], overrides: Partial<PlatformEvent> = {}) =>
      eventOf(company.id, id, status, overrides);
    const other = { platform_message_id: "wamid.other" };

    const known = await storePlatformEvents(sql, [event("sent")]);
    const delivered = await storePlatformEvents(sql, [event("delivered"), event("delivered")]);
    const after = [await statusesOf(sql, [id]), await sql`select delivered, read from outbound.campaigns`];
    const again = await storePlatformEvents(sql, [event("sent"), event("delivered")]);
    const news = await storePlatformEvents(sql, [
      event("read"),
      event("failed"),
      event("sent", { ...other, fence: 1 }),
      event("delivered", { fence: 2, dedupe_key: "another attempt" }),
    ]);

    assert.deepEqual([known, delivered, again, news], [0, 0, 0, 3]);
    assert.deepEqual([after[0], [...after[1]!]], [["delivered"], [{ delivered: 1, read: 0 }]]);
    assert.deepEqual(await statusesOf(sql, [id]), ["read"]);
    await assertConserved(sql);
  }));

Deno.test("apply_platform_events() deletes what it applied, but failures", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { id } = await loseOne(sql, company);
    const lost = await loseOne(sql, company);

    await report(sql, [eventOf(company.id, id, "sent"), eventOf(company.id, id, "read")]);
    await report(sql, [eventOf(company.id, lost.id, "failed")]);

    const kept = await sql`select notification_id, status from outbound.platform_events`;
    assert.deepEqual([...kept], [{ notification_id: lost.id, status: "failed" }]);
    assert.deepEqual(await statusesOf(sql, [id, lost.id]), ["read", "failed"]);
  }));

Deno.test("apply_platform_events() never takes a stage back", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { id } = await sendOne(sql, company);

    for (const status of ["read", "delivered", "sent", "failed"] as const) {
      await report(sql, [eventOf(company.id, id, status)]);
      assert.deepEqual(await statusesOf(sql, [id]), ["read"]);
    }
    const [row] = await sql`select delivered_at = read_at as implied from outbound.notifications`;
    assert.equal(row?.implied, true);
  }));

Deno.test("apply_platform_events() believes that a message was delivered, whatever was thought before", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { campaignId, id } = await sendOne(sql, company);
    await report(sql, [eventOf(company.id, id, "failed")]);
    const failed = await countersOf(sql, campaignId);

    await report(sql, [eventOf(company.id, id, "delivered")]);

    assert.deepEqual([failed, await countersOf(sql, campaignId)], [{ failed: 1 }, { sent: 1, delivered: 1 }]);
    const [state] = await statesOf(sql, [id]);
    assert.deepEqual([state?.status, state?.error_code, state?.error_reason], ["delivered", null, null]);
    await assertConserved(sql);
  }));

Deno.test("apply_platform_events() fails a message that failed after it was sent, for good or for now", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    for (const retryable of [false, true]) {
      const { campaignId, id } = await sendOne(sql, company);

      await report(sql, [eventOf(company.id, id, "failed", { retryable, error_code: "131000" })]);

      const [state] = await statesOf(sql, [id]);
      assert.deepEqual([state?.status, state?.error_code, state?.error_reason], [
        "failed",
        "131000",
        "Undeliverable",
      ]);
      assert.deepEqual(await countersOf(sql, campaignId), { failed: 1 });
    }
  }));

Deno.test("apply_platform_events() gives a failure without a reason one", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { id } = await sendOne(sql, company);

    await report(sql, [eventOf(company.id, id, "failed", { error_code: null, reason: null })]);

    const [state] = await statesOf(sql, [id]);
    assert.deepEqual([state?.status, typeof state?.error_reason], ["failed", "string"]);
  }));

Deno.test("apply_platform_events() settles a message of unknown outcome", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    for (const status of ["sent", "delivered", "read", "failed"] as const) {
      const { campaignId, id } = await loseOne(sql, company);

      await report(sql, [eventOf(company.id, id, status)]);
      await letTimePass(sql, 121);
      await tickNow(sql);

      assert.deepEqual(await statusesOf(sql, [id]), [status]);
      assert.equal((await countersOf(sql, campaignId))[status], 1);
      assert.deepEqual(await claim(sql), []);
    }
    await assertConserved(sql);
  }));

Deno.test("apply_platform_events() queues a lost message again that failed for now, after a while", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { campaignId, id } = await loseOne(sql, company);

    await report(sql, [eventOf(company.id, id, "failed", { retryable: true })]);

    const [state] = await statesOf(sql, [id]);
    assert.deepEqual([state?.status, state!.waits_s > 5, state?.error_code], ["queued", true, "131026"]);
    assert.deepEqual(await countersOf(sql, campaignId), { pending: 1 });
    await report(sql, [eventOf(company.id, id, "sent")]);
    assert.deepEqual(await statusesOf(sql, [id]), ["queued"], "the message that failed counts as sent");
    await letTimePass(sql, 11);
    await finish(sql, await claim(sql), { outcome: "sent" });
    assert.deepEqual(await statusesOf(sql, [id]), ["sent"]);
    await assertConserved(sql);
  }));

Deno.test("apply_platform_events() fails a lost message that failed for now once too often, or too late", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const often = await loseOne(sql, company);
    const late = await loseOne(sql, company);
    await sql`update outbound.queue set attempt = 5 where id = ${often.id}`;
    await sql`update outbound.queue set expires_at = now() where id = ${late.id}`;

    await report(sql, [often, late].map(({ id }) => eventOf(company.id, id, "failed", { retryable: true })));

    assert.deepEqual(await statusesOf(sql, [often.id, late.id]), ["failed", "failed"]);
  }));

Deno.test("apply_platform_events() settles a message before its worker does, whose word then changes nothing", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { campaignId, ids } = await enqueue(sql, company);
    const claimed = await claim(sql);
    await report(sql, [eventOf(company.id, ids[0]!, "delivered")]);
    const before = await countersOf(sql, campaignId);

    const changed = await finish(sql, claimed, { outcome: "sent" });

    assert.equal(changed, 0);
    assert.deepEqual([before, await countersOf(sql, campaignId)], [
      { sent: 1, delivered: 1 },
      { sent: 1, delivered: 1 },
    ]);
    const [attempt] = await sql`select outcome from outbound.delivery_history`;
    assert.equal(attempt?.outcome, "sent");
  }));

Deno.test("apply_platform_events() keeps a passing failure of a running attempt until the attempt is over", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { ids } = await enqueue(sql, company);
    const claimed = await claim(sql);
    await report(sql, [eventOf(company.id, ids[0]!, "failed", { retryable: true })]);
    const during = await statusesOf(sql, ids);
    await finish(sql, claimed, { outcome: "sent" });

    await letTimePass(sql, 6);
    await applyPlatformEvents(sql, 10);

    assert.deepEqual([during, await statusesOf(sql, ids)], [["sending"], ["failed"]]);
    assert.equal(await applyPlatformEvents(sql, 10), 0);
  }));

Deno.test("apply_platform_events() calls off a second attempt when the first turns out to have been sent", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { campaignId, id } = await loseOne(sql, company);
    await letTimePass(sql, 121);
    await tickNow(sql);
    assert.deepEqual(await statusesOf(sql, [id]), ["queued"]);

    await report(sql, [eventOf(company.id, id, "sent")]);

    assert.deepEqual(await countersOf(sql, campaignId), { sent: 1 });
    assert.deepEqual(await claim(sql), []);
    await assertConserved(sql);
  }));

Deno.test("apply_platform_events() overrules our own guesses: outcome unknown, and expired", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql, { onUnknown: "hold" });
    const held = await loseOne(sql, company);
    await letTimePass(sql, 121);
    await tickNow(sql);
    await sql`update outbound.companies set on_unknown = 'resend'`;
    const late = await loseOne(sql, company);
    await letTimePass(sql, 121);
    await tickNow(sql);
    await sql`update outbound.queue set expires_at = now() where id = ${late.id}`;
    await tickNow(sql);
    const before = await statesOf(sql, [held.id, late.id]);
    assert.deepEqual(before.map(({ error_code }) => error_code), ["outcome_unknown", "expired"]);

    await report(sql, [eventOf(company.id, held.id, "sent"), eventOf(company.id, late.id, "sent")]);

    assert.deepEqual(await statusesOf(sql, [held.id, late.id]), ["sent", "sent"]);
    await assertConserved(sql);
  }));

Deno.test("apply_platform_events() takes an earlier attempt's failure for old news once another was sent", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { id } = await loseOne(sql, company);
    await letTimePass(sql, 121);
    await tickNow(sql);
    await finish(sql, await claim(sql), { outcome: "sent" });

    await report(sql, [eventOf(company.id, id, "failed")]);

    assert.deepEqual(await statusesOf(sql, [id]), ["sent"]);
    await report(sql, [eventOf(company.id, id, "failed", { platform_message_id: messageId(id, 2) })]);
    assert.deepEqual(await statusesOf(sql, [id]), ["failed"]);
  }));

/** Two attempts, the first of them of unknown outcome; the second is as `second` says, or under way. */
async function tryTwice(
  sql: postgres.Sql,
  company: SendingCompany,
  second?: Parameters<typeof finish>[2],
): Promise<{ campaignId: string; id: string; claimed: ClaimedNotification[] }> {
  const { campaignId, id } = await loseOne(sql, company);
  await letTimePass(sql, 121);
  await tickNow(sql);
  const claimed = await claim(sql);
  assert.deepEqual(claimed.map(({ fence }) => fence), [2]);
  if (second) await finish(sql, claimed, second);
  return { campaignId, id, claimed };
}

Deno.test("apply_platform_events() does not send a third time because the first attempt failed for now", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { id } = await tryTwice(sql, company, { outcome: "unknown" });

    await report(sql, [eventOf(company.id, id, "failed", { retryable: true })]);
    const first = await statusesOf(sql, [id]);
    await report(sql, [
      eventOf(company.id, id, "failed", { retryable: true, platform_message_id: messageId(id, 2) }),
    ]);

    assert.deepEqual([first, await statusesOf(sql, [id])], [["unconfirmed"], ["queued"]]);
    assert.equal(await applyPlatformEvents(sql, 10), 0, "the earlier failure is done with");
    await assertConserved(sql);
  }));

Deno.test("apply_platform_events() does not end an attempt because an earlier one failed for good", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { campaignId, id, claimed } = await tryTwice(sql, company);

    await report(sql, [eventOf(company.id, id, "failed")]);
    const during = await statusesOf(sql, [id]);
    await finish(sql, claimed, { outcome: "sent" });

    assert.deepEqual([during, await statusesOf(sql, [id])], [["sending"], ["sent"]]);
    assert.deepEqual(await countersOf(sql, campaignId), { sent: 1 });
    await assertConserved(sql);
  }));

Deno.test("apply_platform_events() is done at once with a passing failure of an attempt before the running one", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { id, claimed } = await tryTwice(sql, company);

    await report(sql, [eventOf(company.id, id, "failed", { retryable: true })]);
    await finish(sql, claimed, { outcome: "unknown" });
    await letTimePass(sql, 6);

    assert.equal(await applyPlatformEvents(sql, 10), 0);
    assert.deepEqual(await statusesOf(sql, [id]), ["unconfirmed"]);
  }));

Deno.test("apply_platform_events() believes a failure that names no attempt, as earlier versions sent them", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    for (const [retryable, becomes] of [[true, "queued"], [false, "failed"]] as const) {
      const { id } = await tryTwice(sql, company, { outcome: "unknown" });

      await report(sql, [eventOf(company.id, id, "failed", { retryable, fence: null })]);

      assert.deepEqual(await statusesOf(sql, [id]), [becomes]);
      await letTimePass(sql, 100_000);
      await tickNow(sql);
    }
  }));

Deno.test("apply_platform_events() explains an unknown outcome by the failure of the last attempt only", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { id } = await tryTwice(sql, company, { outcome: "unknown" });
    await sql`update outbound.companies set on_unknown = 'hold'`;
    await letTimePass(sql, 121);
    await tickNow(sql);
    const codes: (string | null | undefined)[] = [];

    for (const fence of [1, 2]) {
      await report(sql, [eventOf(company.id, id, "failed", { platform_message_id: messageId(id, fence) })]);
      codes.push((await statesOf(sql, [id]))[0]?.error_code);
    }

    assert.deepEqual(codes, ["outcome_unknown", "131026"]);
  }));

Deno.test("apply_platform_events() counts every receipt of an earlier attempt, whatever became of the later one", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    for (const outcome of ["unknown", "failed", "retry"] as const) {
      for (const status of ["sent", "delivered", "read"] as const) {
        const { id } = await tryTwice(sql, company, { outcome });

        await report(sql, [eventOf(company.id, id, status)]);

        const [state] = await statesOf(sql, [id]);
        assert.deepEqual([state?.status, state?.platform_message_id, state?.error_code], [
          status,
          messageId(id),
          null,
        ], `${status} after ${outcome}`);
      }
    }
    await assertConserved(sql);
  }));

Deno.test("apply_platform_events() does not take a message for sent that is known to have failed, whichever attempt it was", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const orders = [[["failed", "sent"]], [["sent", "failed"]], [["failed"], ["sent"]]] as const;
    for (const batches of orders) {
      const { id } = await tryTwice(sql, company, { outcome: "unknown" });

      for (const batch of batches) await report(sql, batch.map((status) => eventOf(company.id, id, status)));

      assert.deepEqual(await statusesOf(sql, [id]), ["unconfirmed"]);
      await letTimePass(sql, 100_000);
      await tickNow(sql);
    }
  }));

Deno.test("apply_platform_events() fails a message that an earlier attempt had sent, until something is known of the last attempt", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { id, claimed } = await tryTwice(sql, company);
    await report(sql, [eventOf(company.id, id, "sent")]);
    await report(sql, [eventOf(company.id, id, "failed")]);
    const [before] = await statesOf(sql, [id]);

    await finish(sql, claimed, { outcome: "sent" });

    const [after] = await statesOf(sql, [id]);
    assert.deepEqual([before?.status, before?.error_code], ["failed", "outcome_unknown"]);
    assert.deepEqual([after?.status, after?.platform_message_id], ["sent", messageId(id, 2)]);
    await assertConserved(sql);
  }));

Deno.test("apply_platform_events() keeps a message sent whose other attempt was sent as well, until that fails too", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { id, claimed } = await tryTwice(sql, company);
    await report(sql, [eventOf(company.id, id, "sent")]);
    await finish(sql, claimed, { outcome: "sent" });
    const states: (string | null | undefined)[] = [];

    for (const fence of [1, 2]) {
      await report(sql, [eventOf(company.id, id, "failed", { platform_message_id: messageId(id, fence) })]);
      const [state] = await statesOf(sql, [id]);
      states.push(state?.status, state?.platform_message_id);
    }

    assert.deepEqual(states, ["sent", messageId(id, 2), "failed", messageId(id, 2)]);
    await assertConserved(sql);
  }));

Deno.test("apply_platform_events() writes the failure of an attempt into its history", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { id } = await tryTwice(sql, company, { outcome: "sent" });

    await report(sql, [eventOf(company.id, id, "failed")]);

    const attempts = await sql`
      select fence, outcome, error_code, reason, platform_message_id from outbound.delivery_history order by fence`;
    assert.deepEqual([...attempts], [
      {
        fence: 1,
        outcome: "unknown",
        error_code: "131026",
        reason: "Undeliverable",
        platform_message_id: messageId(id),
      },
      { fence: 2, outcome: "sent", error_code: null, reason: null, platform_message_id: messageId(id, 2) },
    ]);
  }));

Deno.test("apply_platform_events() finds a message by the platform's id when our reference did not come back", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { id } = await sendOne(sql, company);

    await report(sql, [eventOf(company.id, id, "delivered", withoutReference(company))]);

    assert.deepEqual(await statusesOf(sql, [id]), ["delivered"]);
  }));

Deno.test("apply_platform_events() keeps an event that came before our own result, and applies it afterwards", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { ids } = await enqueue(sql, company);
    const claimed = await claim(sql);
    const event = eventOf(company.id, ids[0]!, "delivered", withoutReference(company));
    await report(sql, [event]);
    await finish(sql, claimed, { outcome: "sent" });
    const before = await statusesOf(sql, ids);

    await letTimePass(sql, 6);
    await applyPlatformEvents(sql, 10);

    assert.deepEqual([before, await statusesOf(sql, ids)], [["sent"], ["delivered"]]);
  }));

Deno.test("apply_platform_events() looks for an unknown message ever less often and drops it after 15 minutes", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    await report(sql, [eventOf(company.id, crypto.randomUUID(), "delivered", withoutReference(company))]);
    let looks = 0;
    const left: number[] = [];
    for (let minutes = 1; minutes <= 40; minutes += 1) {
      await letTimePass(sql, 60);
      looks += await applyPlatformEvents(sql, 10);
      const [row] = await sql<{ waiting: number }[]>`
        select count(*)::int as waiting from outbound.platform_events`;
      if (minutes === 14 || minutes === 31) left.push(row!.waiting);
    }

    assert.deepEqual(left, [1, 0]);
    assert.ok(looks > 3 && looks < 10, `${looks} looks`);
    assert.deepEqual(await foreignEvents(sql), { unknown_message: 1 });
  }));

Deno.test("apply_platform_events() drops an event at once whose reference names no notification", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);

    await report(sql, [eventOf(company.id, crypto.randomUUID(), "delivered")]);

    assert.equal((await sql`select from outbound.platform_events`).length, 0);
    assert.deepEqual(await foreignEvents(sql), { unknown_message: 1 });
  }));

Deno.test("store_platform_events() counts the events of other systems and stores none of them", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const event = (overrides: Partial<PlatformEvent>) =>
      eventOf(company.id, crypto.randomUUID(), "delivered", { ...withoutReference(company), ...overrides });

    const stored = await storePlatformEvents(sql, [
      event({ waba_id: "another" }),
      event({ phone_number_id: "another" }),
      event({ company_id: crypto.randomUUID(), notification_id: crypto.randomUUID(), waba_id: "another" }),
      event({ foreign_reference: true }),
      event({ phone_number_id: company.sender.platform_id, waba_id: "another" }),
      event({}),
    ]);

    assert.equal(stored, 2);
    assert.deepEqual(await foreignEvents(sql), { unknown_message: 1, unknown_sender: 3 });
  }));

Deno.test("apply_platform_events() leaves alone what was never tried, cancelled or not", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const scheduled = await enqueue(sql, company, { dueInS: 60 });
    const cancelled = await enqueue(sql, company);
    await sql`select outbound.cancel_campaign(${company.id}, ${cancelled.campaignId})`;
    const queued = await enqueue(sql, company);
    const ids = [scheduled, queued, cancelled].flatMap((each) => each.ids);

    await report(sql, ids.map((id) => eventOf(company.id, id, "delivered")));

    assert.deepEqual(await statusesOf(sql, ids), ["scheduled", "queued", "cancelled"]);
  }));

Deno.test("apply_platform_events() does not let one company's reference touch another's message", () =>
  withTestDatabase(async ({ sql }) => {
    const [company, other] = [await insertSendingCompany(sql), await insertSendingCompany(sql)];
    const { id } = await sendOne(sql, company);

    await report(sql, [eventOf(other.id, id, "delivered", { platform_message_id: "wamid.other" })]);

    assert.deepEqual(await statusesOf(sql, [id]), ["sent"]);
  }));

Deno.test("apply_platform_events() applies a thousand events of many campaigns at once", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    for (let n = 0; n < 3; n++) await enqueue(sql, company, { count: 111 });
    const claimed = await claim(sql, { limit: 333 });
    const events = claimed.flatMap(({ id }) =>
      (["read", "delivered", "sent"] as const).map((status) => eventOf(company.id, id, status))
    );

    assert.equal(await report(sql, events), 999);
    assert.deepEqual([...new Set(await statusesOf(sql, claimed.map(({ id }) => id)))], ["read"]);
    await assertConserved(sql);
  }));
