import type postgres from "postgres";
import { numberCell } from "../../supabase/functions/_shared/db/queue/cell.ts";
import { withTestDatabase } from "../setup/database/database.ts";

export const CELL = 7;

/** Calls `fn` with an empty database that is a cell, and the setting that names it. */
export async function withCell(
  fn: (cell: { sql: postgres.Sql; url: string; env: Record<string, string> }) => Promise<void>,
) {
  await withTestDatabase(async ({ sql, url }) => {
    await numberCell(sql, CELL);
    await fn({ sql, url, env: { DATABASE_URLS: `${CELL}=${url}` } });
  });
}
