import postgres from "postgres";
import { applyMigrations } from "../../cli/migrations/apply.ts";
import { CRON_DATABASE } from "../tools/postgres_cluster.ts";
import { databaseKind, type TestDatabase, withBareDatabase, withTestDatabase } from "./database.ts";
import { databaseUrl, onServer } from "./postgres.ts";
import { skipped } from "./skipped.ts";

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

/**
 * The one database of the server in which pg_cron runs jobs, made anew and migrated. As there is only one, tests that
 * want it wait for each other. Without pg_cron the test is skipped, and named at the end of the run.
 */
export async function withCronDatabase(
  test: string,
  fn: (database: TestDatabase) => Promise<void>,
): Promise<void> {
  requirePostgres();
  const missing = Deno.env.get("TEST_NO_CRON");
  if (missing) return skipped(test, missing);
  await onServer(async (server) => {
    await server`select pg_advisory_lock(1)`; // held until this connection ends
    await server`create database ${server(CRON_DATABASE)}`;
    try {
      await useCronDatabase(fn);
    } finally {
      await server`drop database ${server(CRON_DATABASE)} with (force)`;
    }
  });
}

async function useCronDatabase(fn: (database: TestDatabase) => Promise<void>): Promise<void> {
  const url = databaseUrl(CRON_DATABASE);
  const sql = postgres(url, { onnotice: () => {} });
  try {
    await applyMigrations(sql);
    await fn({ sql, url });
  } finally {
    await sql.end({ timeout: 5 });
  }
}

function requirePostgres(): void {
  if (databaseKind() === "postgres") return;
  throw new Error('This test needs a real Postgres: run its file with "deno task test <file>"');
}
