import assert from "node:assert/strict";
import { TICK_STEPS } from "../../supabase/functions/_shared/db/queue/dispatch_queue.ts";
import { runDispatcher } from "../../supabase/functions/_shared/dispatching/dispatcher.ts";
import type { Services } from "../../supabase/functions/_shared/services.ts";
import { insertSendingCompany } from "../setup/fixtures/queue.ts";
import { withServices } from "../setup/stack/services.ts";

/** The looks of two seconds and more. */
const LOOKS = 10;

/** How often each kind of statement was made while a dispatcher looked `LOOKS` times, by what marks it. */
async function statementsOfIdling(services: Services): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  const controller = new AbortController();
  const sql = new Proxy(services.sql, {
    apply(target, self, args) {
      const [statement] = /(?<=outbound\.)\w+/.exec(String(args[0])) ?? ["other"];
      counts[statement] = (counts[statement] ?? 0) + 1;
      if (counts.next_due === LOOKS) controller.abort();
      return Reflect.apply(target as unknown as () => unknown, self, args);
    },
  });
  await runDispatcher({ ...services, sql }, { signal: controller.signal });
  return counts;
}

Deno.test("an idle dispatcher looks four times per second, and makes few other statements", () =>
  withServices(async ({ services, sql }) => {
    await insertSendingCompany(sql);

    const { next_due, settings: canary, tick_step: steps, ...others } = await statementsOfIdling(services);

    assert.deepEqual([next_due, canary! > 0], [LOOKS, true]);
    // Each sender claims once when it starts.
    const expected = [
      "claim_agent_replies",
      "claim_deliveries",
      "claim_notifications",
      "claim_push_notices",
      "claim_replies",
      "clean_up_when_due",
      "renew_leases",
      "take_accounts_to_sync",
    ];
    assert.deepEqual(Object.keys(others).sort(), expected);
    assert.ok(steps! >= TICK_STEPS.length && steps! <= 2 * TICK_STEPS.length, `${steps} steps of ticks`);
    // One of each in two seconds; a machine that is suspended meanwhile makes some of them twice.
    assert.ok(Object.values(others).reduce((sum, count) => sum + count) <= LOOKS, JSON.stringify(others));
  }));
