import postgres from "postgres";
import { openPglite } from "./pglite.ts";
import { createPostgresDatabase } from "./postgres.ts";

/** A database of one test's own, gone after it. */
export interface TestDatabase {
  sql: postgres.Sql;
  /** For a second client, or for code that connects by itself. */
  url: string;
}

/**
 * The database this process tests on, chosen by `deno task test`; PGlite when a test file is run by hand.
 */
export function databaseKind(): "pglite" | "postgres" {
  return Deno.env.get("TEST_DATABASE") === "postgres" ? "postgres" : "pglite";
}

/** Calls `fn` with a database that has all migrations and nothing else, and removes it afterwards. */
export async function withTestDatabase(fn: (database: TestDatabase) => Promise<void>): Promise<void> {
  await withDatabase("migrated", fn);
}

/** Calls `fn` with an empty database, for tests of the migrations themselves. */
export async function withBareDatabase(fn: (database: TestDatabase) => Promise<void>): Promise<void> {
  await withDatabase("bare", fn);
}

async function withDatabase(
  template: "migrated" | "bare",
  fn: (database: TestDatabase) => Promise<void>,
): Promise<void> {
  const database = databaseKind() === "postgres"
    ? await createPostgresDatabase(template)
    : await openPglite(template);
  try {
    const sql = postgres(database.url, { onnotice: () => {} });
    try {
      await fn({ sql, url: database.url });
    } finally {
      await sql.end({ timeout: 5 });
    }
  } finally {
    await database.close();
  }
}
