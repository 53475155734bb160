import assert from "node:assert/strict";
import type postgres from "postgres";
import { adjustSenders, lookAhead } from "../../../supabase/functions/_shared/db/queue/dispatch_queue.ts";
import { withTestDatabase } from "../../setup/database/database.ts";
import {
  calledNumber,
  callEventOf,
  type CallingCompany,
  enqueueCalls,
  goingOn,
  insertCallingCompany,
} from "../../setup/fixtures/calling_company.ts";
import {
  assertConserved,
  claim,
  enqueue,
  eventOf,
  finish,
  insertSendingCompany,
  letTimePass,
  report,
  statesOf,
  statusesOf,
  tickNow,
} from "../../setup/fixtures/queue.ts";

async function withCompany(
  fn: (sql: postgres.Sql, company: CallingCompany) => Promise<void>,
  { concurrency = 3 } = {},
): Promise<void> {
  await withTestDatabase(async ({ sql }) => {
    await fn(sql, await insertCallingCompany(sql, { concurrency }));
    await assertConserved(sql);
  });
}

Deno.test("claim_notifications() returns no more calls than the sender has lines, whichever worker claims", () =>
  withCompany(async (sql, company) => {
    await enqueueCalls(sql, company, { count: 5 });

    const first = await claim(sql, { limit: 2 });
    const second = await claim(sql, { worker: "other" });
    const third = await claim(sql);

    assert.deepEqual([first.length, second.length, third.length], [2, 1, 0]);
    assert.deepEqual(first[0]?.message, {
      agent_id: company.agent.platform_agent_id,
      dynamic_variables: { name: "Ana" },
    });
    assert.deepEqual([first[0]?.channel, first[0]?.timezone, first[0]?.sending_hours], ["voice", null, null]);
  }));

Deno.test("a call keeps its line while it rings, goes on, or is of unknown outcome, and leaves it when it is over", () =>
  withCompany(async (sql, company) => {
    const { ids } = await enqueueCalls(sql, company, { count: 9 });
    const calls = await claim(sql);
    await finish(sql, calls.slice(0, 1), { outcome: "sent" });
    await finish(sql, calls.slice(1, 2), { outcome: "unknown" });
    assert.equal((await claim(sql)).length, 0);

    await report(sql, [callEventOf(company.id, calls[0]!.id, "answered")]);
    const afterEnd = await claim(sql);
    await finish(sql, calls.slice(2), { outcome: "not_sent", retry_in_s: 60 });
    const afterNotSent = await claim(sql);
    await letTimePass(sql, 121);
    await tickNow(sql); // the leases ran out meanwhile, too
    await letTimePass(sql, 121);
    await tickNow(sql);

    assert.deepEqual([afterEnd.length, afterNotSent.length], [1, 1]);
    assert.equal(await goingOn(sql, company.sender.id), 0);
    assert.equal((await claim(sql)).length, 3);
    const states = await statesOf(sql, ids);
    assert.equal(states.filter(({ error_code }) => error_code === "outcome_unknown").length, 3);
  }));

Deno.test("a machine that was detected leaves the line taken: the call is not over", () =>
  withCompany(async (sql, company) => {
    const { ids: [id] } = await enqueueCalls(sql, company, { count: 2 });
    const [call] = await claim(sql, { limit: 1 });
    await finish(sql, [call!], { outcome: "sent" });
    const detected = callEventOf(company.id, call!.id, "voicemail", { status: "sent" });

    await report(sql, [{ ...detected, call: { ...detected.call!, ended_at: null } }]);
    const during = await claim(sql);
    await report(sql, [callEventOf(company.id, call!.id, "answered")]);

    assert.equal(during.length, 0);
    assert.equal(await goingOn(sql, company.sender.id), 0);
    const [row] = await sql`select outcome, ended_at is not null as ended from outbound.calls
      where notification_id = ${call!.id}`;
    assert.deepEqual(row, { outcome: "voicemail", ended: true });
    assert.ok(id);
  }, { concurrency: 1 }));

Deno.test("a sender that the platform slowed down has fewer lines for a while, one at least", () =>
  withCompany(async (sql, company) => {
    await enqueueCalls(sql, company, { count: 30 });
    const slowDown = () =>
      adjustSenders(sql, [{ company_id: company.id, sender_id: company.sender.id, change: "slow_down" }]);
    const lines = async () => {
      const claimed = await claim(sql);
      await finish(sql, claimed, { outcome: "released" });
      return claimed.length;
    };

    const seen = [await lines()];
    for (let times = 0; times < 6; times++) {
      await slowDown();
      await letTimePass(sql, 2);
      seen.push(await lines());
    }
    await letTimePass(sql, 200);
    seen.push(await lines());

    assert.deepEqual(seen, [8, 4, 2, 1, 1, 1, 1, 8]);
  }, { concurrency: 8 }));

Deno.test("next_due() does not call a dispatcher for calls that have no line, and does when they have", () =>
  withCompany(async (sql, company) => {
    await enqueueCalls(sql, company, { count: 2 });
    const free = (await lookAhead(sql)).ms;
    const calls = await claim(sql);
    await finish(sql, calls, { outcome: "sent" });
    const taken = (await lookAhead(sql)).ms;
    await report(sql, [callEventOf(company.id, calls[0]!.id, "busy")]);
    const again = (await lookAhead(sql)).ms;

    assert.ok(free !== null && free <= 0);
    assert.equal(taken, null);
    assert.ok(again !== null && again <= 0);
  }, { concurrency: 1 }));

Deno.test("a number is not called twice at once, nor within the gap, by one campaign; another campaign may", () =>
  withCompany(async (sql, company) => {
    const number = calledNumber(0);
    const { ids } = await enqueueCalls(sql, company, { numbers: [number, number] });
    const first = await claim(sql);
    const other = await enqueueCalls(sql, company, { numbers: [number] });
    const elsewhere = await claim(sql);
    await letTimePass(sql, 61);
    const during = await claim(sql); // the first call still goes on
    await finish(sql, first, { outcome: "sent" });
    await report(sql, [callEventOf(company.id, first[0]!.id, "no_answer")]);
    await letTimePass(sql, 55);
    const soon = await claim(sql);
    await letTimePass(sql, 61);
    const later = await claim(sql);

    assert.deepEqual([first, elsewhere, during, soon, later].map((claimed) => claimed.length), [
      1,
      1,
      0,
      0,
      1,
    ]);
    assert.equal(elsewhere[0]?.id, other.ids[0]);
    assert.deepEqual([first[0]!.id, later[0]!.id].toSorted(), ids.toSorted());
  }));

Deno.test("a call that was refused for a moment is retried after the gap at the earliest", () =>
  withCompany(async (sql, company) => {
    await sql`update outbound.companies set call_gap_s = 300`;
    await enqueueCalls(sql, company);
    await finish(sql, await claim(sql), { outcome: "retry", retry_in_s: 10 });
    await letTimePass(sql, 11);
    const early = await claim(sql);
    await letTimePass(sql, 290);

    assert.deepEqual([early.length, (await claim(sql)).length], [0, 1]);
  }));

Deno.test("calls put off by the gap do not stand in the way of others", () =>
  withCompany(async (sql, company) => {
    const number = calledNumber(0);
    const { ids } = await enqueueCalls(sql, company, { numbers: Array(5).fill(number) });
    await enqueueCalls(sql, company, { numbers: [calledNumber(1), calledNumber(2)] });

    const claimed = [...await claim(sql), ...await claim(sql), ...await claim(sql)];

    assert.deepEqual(claimed.map((call) => call.number).toSorted(), [0, 1, 2].map(calledNumber));
    assert.equal((await statusesOf(sql, ids)).filter((status) => status === "queued").length, 4);
  }));

Deno.test("messages claimed together with calls go to a number as often as it is named, at once", () =>
  withCompany(async (sql, company) => {
    const chatting = await insertSendingCompany(sql);
    const { ids } = await enqueue(sql, chatting, { count: 3 });
    await sql`update outbound.notification_facts set number = '34600111222' where id = any (${ids})`;
    await enqueueCalls(sql, company, { numbers: [calledNumber(0), calledNumber(0)] });

    const claimed = await claim(sql);

    assert.deepEqual(claimed.map(({ channel }) => channel).toSorted(), [
      "voice",
      "whatsapp",
      "whatsapp",
      "whatsapp",
    ]);
    const [calls] = await sql`select count(*)::int from outbound.calls`;
    assert.equal(calls?.count, 1);
  }));

Deno.test("what a paused campaign holds is not put off, and a claim gets past it", () =>
  withCompany(async (sql, company) => {
    const number = calledNumber(0);
    const { campaignId } = await enqueueCalls(sql, company, { numbers: [number, number] });
    await sql`select outbound.pause_campaign(${company.id}, ${campaignId})`;
    assert.equal((await claim(sql)).length, 0);
    await sql`select outbound.resume_campaign(${company.id}, ${campaignId})`;
    assert.equal((await claim(sql)).length, 1);
  }));

Deno.test("a postponed call waits untried and lives as much longer", () =>
  withCompany(async (sql, company) => {
    const { ids } = await enqueueCalls(sql, company, { ttlS: 3600 });
    await finish(sql, await claim(sql), { outcome: "postponed", retry_in_s: 36_000 });

    const [state] = await statesOf(sql, ids);
    const [row] = await sql`select round(extract(epoch from expires_at - now()) / 600)::int * 600 as lives_s,
      (select count(*)::int from outbound.delivery_history) as attempts from outbound.notifications`;
    assert.deepEqual([state?.status, state?.attempt, row], ["queued", 0, { lives_s: 39_600, attempts: 0 }]);
    assert.ok(state!.waits_s > 35_990);
    await letTimePass(sql, 36_001);
    await tickNow(sql);
    assert.equal((await claim(sql)).length, 1);
  }));

Deno.test("how a call went is kept once, whatever its events' order, and the better word counts", () =>
  withCompany(async (sql, company) => {
    await enqueueCalls(sql, company, { count: 3 });
    const calls = await claim(sql);
    await finish(sql, calls, { outcome: "sent" });
    const [one, two, three] = calls.map(({ id }) => id) as [string, string, string];

    await report(sql, [callEventOf(company.id, one, "answered")]);
    await report(sql, [callEventOf(company.id, one, "answered"), callEventOf(company.id, one, "failed")]);
    await report(sql, [callEventOf(company.id, two, "busy")]);
    await report(sql, [callEventOf(company.id, two, "answered")]);
    await report(sql, [
      callEventOf(company.id, three, "answered"),
      callEventOf(company.id, three, "voicemail"),
    ]);

    const recorded = await sql`
      select n.status, k.outcome, k.duration_s, k.summary, jsonb_array_length(k.transcript) as lines,
        k.conversation_id = n.platform_message_id as same
      from outbound.calls as k join outbound.notifications as n on n.id = k.notification_id
      order by array_position(${[one, two, three]}::uuid[], n.id)`;
    const reached = { status: "delivered", duration_s: 42, summary: "It went well.", lines: 1, same: true };
    assert.deepEqual(
      [...recorded],
      ["answered", "answered", "voicemail"].map((outcome) => ({ ...reached, outcome })),
    );
  }));

Deno.test("an event without our reference is joined by the conversation's id, as soon as that is known", () =>
  withCompany(async (sql, company) => {
    await enqueueCalls(sql, company);
    const [call] = await claim(sql);
    const event = {
      ...callEventOf(company.id, call!.id, "busy", { company_id: null, notification_id: null }),
      dedupe_key: `voice:wamid.${call!.id}.1:call_initiation_failure`,
    };
    await report(sql, [event]);
    assert.deepEqual(await statusesOf(sql, [call!.id]), ["sending"]);

    await finish(sql, [call!], { outcome: "sent" });
    await report(sql, []);

    assert.deepEqual(await statusesOf(sql, [call!.id]), ["failed"]);
    const [row] = await sql`select outcome from outbound.calls`;
    assert.equal(row?.outcome, "busy");
  }));

Deno.test("events of messages write nothing about calls", () =>
  withCompany(async (sql, company) => {
    await enqueueCalls(sql, company);
    const [call] = await claim(sql);
    await finish(sql, [call!], { outcome: "sent" });

    await report(sql, [eventOf(company.id, call!.id, "delivered")]);

    const [row] = await sql`select outcome, ended_at from outbound.calls`;
    assert.deepEqual(row, { outcome: null, ended_at: null });
  }));
