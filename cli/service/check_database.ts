import type postgres from "postgres";
import { describeDatabaseError } from "../describe_database_error.ts";
import { pendingMigrations } from "../migrations/pending.ts";

/** Why the service cannot run on a database, in one line; nothing when it can. */
export async function checkDatabase(sql: postgres.Sql, databaseUrl: string): Promise<string | undefined> {
  try {
    const pending = await pendingMigrations(sql);
    if (pending.length === 0) return undefined;
    return `The database lacks ${pending.length} migrations, from ${
      pending[0]
    } on: run "deno task migrate" first`;
  } catch (error) {
    return describeDatabaseError(error, databaseUrl);
  }
}
