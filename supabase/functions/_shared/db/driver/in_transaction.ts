import type { Sql } from "./connect.ts";

/** Calls `work` in a transaction: in the one that `sql` is, or else in one of its own. */
export async function inTransaction<T>(sql: Sql, work: (on: Sql) => Promise<T>): Promise<T> {
  if ("savepoint" in sql) return await work(sql);
  return await sql.begin((transaction) => work(transaction as unknown as Sql)) as T;
}
