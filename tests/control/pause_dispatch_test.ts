import assert from "node:assert/strict";
// Two dispatchers need a real Postgres.
import "../setup/database/postgres_database.ts";
import { readReference } from "../../supabase/functions/_shared/dispatching/reference.ts";
import { runDispatcher } from "../../supabase/functions/_shared/dispatching/dispatcher.ts";
import { inTheEnd } from "../setup/eventually.ts";
import type { JsonObject } from "../setup/http/http.ts";
import { type TestStack, withStack } from "../setup/stack/stack.ts";
import { assertConserved, countersOf } from "../setup/fixtures/queue.ts";
import { acceptOnStack } from "./campaign.ts";

const TOTAL = 1500;
/** So many leave between one pause and the next, or more on a busy machine. */
const STEP = 100;

/** The notifications the platform took, by the reference we sent along. */
async function takenIds({ sandbox }: TestStack): Promise<string[]> {
  const messages = await sandbox.messages({ limit: "10000" });
  return messages.map(({ biz_opaque_callback_data }) =>
    readReference(biz_opaque_callback_data)!.notificationId
  );
}

async function control({ http, key }: TestStack, action: string, campaignId: string): Promise<JsonObject> {
  const query = { access_key: key.key };
  const response = await http.post(`/manage/companies/mine/campaigns/${campaignId}/${action}`, undefined, {
    query,
  });
  assert.equal(response.status, 200, JSON.stringify(response.body));
  return response.body;
}

/** Pauses, and checks that notifications held at the response are never sent, and that the count of the others is right. */
async function pauseAndCheck(t: TestStack, campaignId: string): Promise<{ inFlight: number; late: number }> {
  const response = await control(t, "pause", campaignId);
  const takenAtResponse = new Set(await takenIds(t));
  const held = await t.sql<{ id: string }[]>`
    select id from outbound.notifications where campaign_id = ${campaignId} and held_run_at is not null`;
  const [free] = await t.sql<{ count: number }[]>`
    select count(*)::int from outbound.notifications
    where campaign_id = ${campaignId} and status in ('scheduled', 'queued') and held_run_at is null`;
  assert.deepEqual([response.status, free!.count], ["paused", 0]);

  await inTheEnd(
    async () => assert.equal((await countersOf(t.sql, campaignId)).processing ?? 0, 0),
  );
  const taken = await takenIds(t);
  const late = taken.filter((id) => !takenAtResponse.has(id)).length;

  const left = new Set(taken);
  assert.deepEqual(held.filter(({ id }) => left.has(id)), [], "a held notification left");
  assert.ok(
    late <= response.in_flight,
    `${late} left after the response, ${response.in_flight} were in flight`,
  );
  return { inFlight: response.in_flight, late };
}

Deno.test("while two dispatchers work, nothing leaves after a pause but what it counted in flight", () =>
  withStack(async (t) => {
    await t.sandbox.configure({ rate_per_second: 0, latency_ms: 15 });
    await t.sandbox.addFault({ probability: 0.05, fault: { code: 131056 } });
    await t.sql`update outbound.senders set rate_per_second = 400`;
    const { campaignId, ids } = await acceptOnStack(t, TOTAL);

    const checks: { inFlight: number; late: number }[] = [];
    const lawChecks = await whileDispatching(t, async () => {
      for (let goal = STEP; goal < TOTAL; goal = (await takenIds(t)).length + STEP) {
        await inTheEnd(async () => {
          const { length } = await takenIds(t);
          assert.ok(length >= goal, `${length} of ${goal}`);
        });
        checks.push(await pauseAndCheck(t, campaignId));
        await control(t, "resume", campaignId);
      }
      await inTheEnd(async () => {
        const { pending = 0, processing = 0 } = await countersOf(t.sql, campaignId);
        assert.deepEqual([pending, processing], [0, 0]);
      });
    });

    assert.ok(lawChecks > 0);
    assert.ok(checks.some(({ inFlight }) => inFlight > 0), "no pause met anything in flight");
    assert.deepEqual((await takenIds(t)).sort(), ids.sort(), "lost, or sent twice");
    await assertConserved(t.sql);
  }));

/** Calls `fn` while two dispatchers send and the conservation law is checked; returns how often. */
async function whileDispatching(t: TestStack, fn: () => Promise<void>): Promise<number> {
  const stop = new AbortController();
  const { signal } = stop;
  const dispatchers = [1, 2].map(() => runDispatcher(t.services, { signal }));
  const [worked, watched] = await Promise.allSettled([
    fn().finally(() => stop.abort()),
    watchConservation(t, signal),
    ...dispatchers,
  ]);
  if (worked.status === "rejected") throw worked.reason;
  if (watched.status === "rejected") throw watched.reason;
  return watched.value;
}

/** Checks the conservation law again and again; returns how often. */
async function watchConservation({ sql }: TestStack, signal: AbortSignal): Promise<number> {
  let checks = 0;
  for (; !signal.aborted; checks++) {
    await assertConserved(sql);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return checks;
}
