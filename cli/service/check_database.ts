import type postgres from "postgres";
import { tryToStore } from "../../supabase/functions/_shared/db/settings.ts";
import { describeDatabaseError } from "../describe_database_error.ts";
import { pendingMigrations } from "../migrations/pending.ts";

/** Why the service cannot run on a database, in one line; nothing when it can. */
export async function checkDatabase(sql: postgres.Sql, databaseUrl: string): Promise<string | undefined> {
  try {
    const pending = await pendingMigrations(sql);
    if (pending.length === 0) return await fullDisk(sql, databaseUrl);
    return `The database lacks ${pending.length} migrations, from ${
      pending[0]
    } on: run "deno task migrate" first`;
  } catch (error) {
    return describeDatabaseError(error, databaseUrl);
  }
}

/** Only a full disk: what else keeps a database from storing, such as a fail-over, may be over in a moment. */
async function fullDisk(sql: postgres.Sql, databaseUrl: string): Promise<string | undefined> {
  try {
    await tryToStore(sql);
  } catch (error) {
    if ((error as { code?: string }).code === "53100") return describeDatabaseError(error, databaseUrl);
  }
}
