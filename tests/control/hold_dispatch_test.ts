import assert from "node:assert/strict";
// Two dispatchers need a real Postgres.
import "../setup/database/postgres_database.ts";
import { readReference } from "../../supabase/functions/_shared/dispatching/reference.ts";
import { runDispatcher } from "../../supabase/functions/_shared/dispatching/dispatcher.ts";
import { assertConserved, countersOf } from "../setup/fixtures/queue.ts";
import { inTheEnd } from "../setup/eventually.ts";
import { type TestStack, withStack } from "../setup/stack/stack.ts";
import { acceptOnStack, heldOf } from "./campaign.ts";

const TOTAL = 600;
/** So many leave between one stop and the next, or more on a busy machine. */
const STEP = 120;

async function takenIds({ sandbox }: TestStack): Promise<string[]> {
  const messages = await sandbox.messages({ limit: "10000" });
  return messages.map(({ biz_opaque_callback_data }) =>
    readReference(biz_opaque_callback_data)!.notificationId
  );
}

/** Fails unless the template is held: nothing being sent, all the rest held. Returns how many were sent. */
async function untilHeld(t: TestStack, campaignId: string): Promise<number> {
  return await inTheEnd(async () => {
    const { pending = 0, processing = 0 } = await countersOf(t.sql, campaignId);
    assert.deepEqual([processing, await heldOf(t.sql, campaignId)], [0, pending]);
    return (await takenIds(t)).length;
  });
}

Deno.test("while two dispatchers work, the platform pauses the template again and again: nothing is lost, failed or sent twice", () =>
  withStack(async (t) => {
    await t.sandbox.configure({ rate_per_second: 0, latency_ms: 15 });
    await t.sql`update outbound.senders set rate_per_second = 400`;
    const [template] = await t.sandbox.templates();
    const { campaignId, ids } = await acceptOnStack(t, TOTAL);
    const stop = new AbortController();
    const dispatchers = [1, 2].map(() => runDispatcher(t.services, { signal: stop.signal }));
    let refused = 0;

    try {
      for (let goal = STEP; goal < TOTAL; goal = (await takenIds(t)).length + STEP) {
        await inTheEnd(async () => {
          const { length } = await takenIds(t);
          assert.ok(length >= goal, `${length} of ${goal}`);
        });
        await t.sandbox.setTemplate(template!.id, "PAUSED");
        const taken = await untilHeld(t, campaignId);
        await t.sandbox.setTemplate(template!.id, "APPROVED");
        refused += taken < TOTAL ? 1 : 0;
      }
      await inTheEnd(
        async () => assert.deepEqual((await takenIds(t)).length, TOTAL),
      );
      await inTheEnd(async () => {
        const { pending = 0, processing = 0 } = await countersOf(t.sql, campaignId);
        assert.deepEqual([pending, processing], [0, 0]);
      });
    } finally {
      stop.abort();
      await Promise.all(dispatchers);
    }

    assert.ok(refused > 0, "no pause met anything that waited");
    assert.deepEqual((await takenIds(t)).sort(), ids.sort(), "lost, or sent twice");
    const [row] = await t.sql`
      select count(*) filter (where status = 'failed')::int as failed, max(attempt) as attempts
      from outbound.notifications
      -- Two of the simulated phones always fail.
      where number not like '%0000' and number not like '%0001'`;
    assert.deepEqual(row, { failed: 0, attempts: 1 });
    await assertConserved(t.sql);
  }));
