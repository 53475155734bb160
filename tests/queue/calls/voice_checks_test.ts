import assert from "node:assert/strict";
import type postgres from "postgres";
import { failEndlessCalls, takeCallsToCheck } from "../../../supabase/functions/_shared/db/calls/calls.ts";
import { withTestDatabase } from "../../setup/database/database.ts";
import { callEventOf, enqueueCalls, insertCallingCompany } from "../../setup/fixtures/calling_company.ts";
import {
  assertConserved,
  claim,
  finish,
  letTimePass,
  messageId,
  report,
  statesOf,
} from "../../setup/fixtures/queue.ts";

const AFTER_S = 120;

async function take(sql: postgres.Sql, limit = 10): Promise<string[]> {
  return (await takeCallsToCheck(sql, { limit, afterS: AFTER_S })).map((call) => call.notification_id);
}

Deno.test("take_calls_to_check() returns calls without events, with what it takes to poll them", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertCallingCompany(sql);
    await enqueueCalls(sql, company, { count: 2 });
    const [sent, unknown] = await claim(sql, { leaseS: 1000 });
    await finish(sql, [sent!], { outcome: "sent" });
    const atOnce = await take(sql);
    await letTimePass(sql, 121);
    await finish(sql, [unknown!], { outcome: "unknown" });

    const calls = await takeCallsToCheck(sql, { limit: 10, afterS: AFTER_S });

    assert.deepEqual(atOnce, []);
    const [sender] = await sql`select id as sender_id, token_sealed from outbound.senders`;
    const expected = [
      {
        company_id: company.id,
        notification_id: sent!.id,
        fence: 1,
        conversation_id: messageId(sent!.id),
        ...sender,
      },
      { company_id: company.id, notification_id: unknown!.id, fence: 1, conversation_id: null, ...sender },
    ];
    const inOrder = (rows: { notification_id: string }[]) =>
      new Map(rows.map((row) => [row.notification_id, row]));
    assert.deepEqual(inOrder(calls), inOrder(expected));
  }));

Deno.test("take_calls_to_check() waits longer each time, but not when it is unknown whether there was a call", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertCallingCompany(sql);
    await enqueueCalls(sql, company, { count: 2 });
    const [sent, unknown] = await claim(sql);
    await finish(sql, [sent!], { outcome: "sent" });
    await finish(sql, [unknown!], { outcome: "unknown" }, { windowS: 100_000 });
    const asked: Record<string, number[]> = { [sent!.id]: [], [unknown!.id]: [] };
    for (let at = 0; at < 900; at += 30) {
      await letTimePass(sql, 30);
      for (const id of await take(sql)) asked[id]!.push(at + 30);
    }

    assert.deepEqual(asked[sent!.id], [120, 240, 480]);
    assert.equal(asked[unknown!.id]!.length, 30);
  }));

Deno.test("take_calls_to_check() hands each call to one caller, and forgets those that are over or come again", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertCallingCompany(sql);
    await enqueueCalls(sql, company, { count: 6 });
    const calls = await claim(sql);
    await finish(sql, calls.slice(0, 5), { outcome: "sent" });
    await finish(sql, calls.slice(5), { outcome: "retry", retry_in_s: 1000 });
    await report(sql, [callEventOf(company.id, calls[0]!.id, "answered")]);
    await letTimePass(sql, 121);

    const handed = [...await take(sql, 2), ...await take(sql), ...await take(sql)];

    assert.deepEqual(handed.toSorted(), calls.slice(1, 5).map(({ id }) => id).toSorted());
    const [row] = await sql`select count(*)::int from outbound.calls where check_at is not null`;
    assert.equal(row?.count, 4);
  }));

Deno.test("fail_endless_calls() ends calls that never end, and their event may still come", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertCallingCompany(sql);
    const { ids } = await enqueueCalls(sql, company, { count: 2 });
    const calls = await claim(sql);
    await finish(sql, calls, { outcome: "sent" });
    const early = await failEndlessCalls(sql, { limit: 10, afterS: 3600 });
    await letTimePass(sql, 3601);

    const late = await failEndlessCalls(sql, { limit: 10, afterS: 3600 });

    assert.deepEqual([early, late], [0, 2]);
    assert.ok((await statesOf(sql, ids)).every(({ error_code }) => error_code === "outcome_unknown"));
    await assertConserved(sql);
    await report(sql, [
      callEventOf(company.id, ids[0]!, "answered"),
      callEventOf(company.id, ids[1]!, "busy"),
    ]);
    const states = (await statesOf(sql, ids)).map(({ status, error_code }) => [status, error_code]);
    assert.deepEqual(states, [["delivered", null], ["failed", "busy"]]);
    await assertConserved(sql);
  }));
