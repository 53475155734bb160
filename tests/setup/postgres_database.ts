import { databaseKind, type TestDatabase, withBareDatabase, withTestDatabase } from "./database.ts";

/**
 * A migrated database on a real Postgres, for what PGlite cannot show, such as two sessions racing. A test file that
 * imports this module runs only on Postgres; where there is none, `deno task test` names it as skipped.
 */
export async function withPostgresDatabase(fn: (database: TestDatabase) => Promise<void>): Promise<void> {
  requirePostgres();
  await withTestDatabase(fn);
}

/** An empty database on a real Postgres. */
export async function withBarePostgresDatabase(fn: (database: TestDatabase) => Promise<void>): Promise<void> {
  requirePostgres();
  await withBareDatabase(fn);
}

function requirePostgres(): void {
  if (databaseKind() === "postgres") return;
  throw new Error('This test needs a real Postgres: run its file with "deno task test <file>"');
}
