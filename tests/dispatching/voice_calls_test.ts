import assert from "node:assert/strict";
import { calledNumber } from "../setup/fixtures/calling_company.ts";
import { eventually } from "../setup/eventually.ts";
import { type Calling, withCalls } from "./with_calls.ts";

/** Ends all calls to these numbers in these ways. */
const ENDINGS = ["answered", "busy", "no_answer", "voicemail", "failed"] as const;

interface CallResult {
  status: string;
  error_code: string | null;
  error_reason: string | null;
  outcome: string | null;
  duration_s: number | null;
}

async function resultsOf({ sql }: Pick<Calling, "sql">, ids: string[]): Promise<CallResult[]> {
  return [
    ...await sql<CallResult[]>`
      select n.status, n.error_code, n.error_reason, k.outcome, k.duration_s
      from unnest(${ids}::uuid[]) with ordinality as wanted(id, ord)
      join outbound.notifications as n on n.id = wanted.id
      left join outbound.calls as k on k.notification_id = n.id order by wanted.ord`,
  ];
}

Deno.test("a call ends as the platform reports: answered, voicemail, or why it was not taken", () =>
  withCalls(async (t) => {
    for (const [index, outcome] of ENDINGS.entries()) {
      await t.sandbox.setOutcome({ to: calledNumber(index), outcome });
    }
    const { ids } = await t.enqueueCalls({ count: ENDINGS.length });

    await t.running(() =>
      eventually(async () => {
        const results = await resultsOf(t, ids);
        assert.deepEqual(results.map(({ outcome }) => outcome), ENDINGS);
        assert.deepEqual(results.map(({ status }) => status), [
          "delivered",
          "failed",
          "failed",
          "delivered",
          "failed",
        ]);
        assert.deepEqual(results.map(({ error_code }) => error_code), [
          null,
          "busy",
          "no_answer",
          null,
          "failed",
        ]);
        assert.match(results[1]?.error_reason ?? "", /busy/i);
        assert.deepEqual(results.map(({ duration_s }) => duration_s), [1, null, null, 1, null]);
      })
    );

    const [call] = await t.sql`select summary, transcript, ended_at from outbound.calls
      where notification_id = ${ids[0]!}`;
    assert.ok(call?.summary && call.transcript.length > 0 && call.ended_at);
    assert.equal((await t.sandbox.calls()).length, ENDINGS.length);
  }));
