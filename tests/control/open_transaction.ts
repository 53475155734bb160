import assert from "node:assert/strict";
import type postgres from "postgres";
import { eventually } from "../setup/eventually.ts";

/** Calls `fn` with a transaction that `commit` ends; its statements go through a connection of their own. */
export async function withOpenTransaction(
  sql: postgres.Sql,
  fn: (open: postgres.Sql, commit: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const open = await sql.reserve();
  try {
    await open`begin`;
    await fn(open, async () => void await open`commit`);
  } finally {
    open.release();
  }
}

/** Waits until a session waits for a lock, or `done` says that there is nothing to wait for. */
export async function untilBlocked(sql: postgres.Sql, done: () => boolean = () => false): Promise<void> {
  await eventually(async () => {
    const [row] = await sql<{ waiting: number }[]>`
      select count(*)::int as waiting from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    assert.ok(done() || row?.waiting === 1);
  });
}
