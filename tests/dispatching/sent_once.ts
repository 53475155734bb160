import assert from "node:assert/strict";
import type { Dispatching } from "./with_dispatching.ts";

/** Fails unless the platform took each message once, and each was tried once. */
export async function assertSentOnce(t: Dispatching, ids: string[]): Promise<void> {
  const taken = await t.taken();
  assert.deepEqual([taken.size, [...taken.values()].filter((times) => times > 1)], [ids.length, []]);
  const attempts = await t.sql`
    select outcome, count(*)::int from outbound.delivery_history group by outcome`;
  assert.deepEqual([...attempts], [{ outcome: "sent", count: ids.length }]);
}
