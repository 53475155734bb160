import assert from "node:assert/strict";
import type postgres from "postgres";

export interface Stored {
  campaigns: number;
  notifications: number;
  idempotency_keys: number;
  /** Notifications counted against the daily quotas. */
  used: number;
}

/** Counts the rows that only an accepted request leaves behind. */
export async function countStored(sql: postgres.Sql): Promise<Stored> {
  const [row] = await sql<Stored[]>`
    select (select count(*)::int from outbound.campaigns) as campaigns,
      (select count(*)::int from outbound.notifications) as notifications,
      (select count(*)::int from outbound.idempotency_keys) as idempotency_keys,
      (select coalesce(sum(notifications), 0)::int from outbound.usage) as used`;
  return { ...row! };
}

/** Calls `fn` and fails when it left anything behind. */
export async function assertNothingStored(sql: postgres.Sql, fn: () => Promise<void>): Promise<void> {
  const before = await countStored(sql);
  await fn();
  assert.deepEqual(await countStored(sql), before);
}
