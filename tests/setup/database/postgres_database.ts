import assert from "node:assert/strict";
import { join } from "node:path";
import postgres from "postgres";
import { applyMigrations } from "../../../cli/migrations/apply.ts";
import { CRON_DATABASE, startCluster, stopCluster } from "./postgres_cluster.ts";
import { databaseKind, type TestDatabase, withBareDatabase, withTestDatabase } from "./database.ts";
import { eventually } from "../eventually.ts";
import { skipped } from "../skipped.ts";

/**
 * A migrated database on a real Postgres, for what PGlite cannot show, such as two sessions racing. A test file that
 * imports this module runs only on Postgres; where there is none, `deno task test` names it as skipped.
 */
export async function withPostgresDatabase(fn: (database: TestDatabase) => Promise<void>): Promise<void> {
  requirePostgres();
  await withTestDatabase(fn);
}

/**
 * The same without autovacuum, for tests that count what a query reads or writes: what it cleans meanwhile would be
 * counted, and a snapshot of its own keeps the dead rows that the test's VACUUM is to remove.
 */
export async function withMeasuredDatabase(fn: (database: TestDatabase) => Promise<void>): Promise<void> {
  await withPostgresDatabase(async (database) => {
    await database.sql.unsafe(`do $$
      declare v_table regclass;
      begin
        for v_table in select oid from pg_class where relnamespace = 'outbound'::regnamespace and relkind = 'r' loop
          execute format('alter table %s set (autovacuum_enabled = false)', v_table);
        end loop;
      end $$`);
    await fn(database);
  });
}

/**
 * Waits until no other session of the database has a snapshot, an autovacuum of the catalogue among them. Only then does
 * VACUUM remove, and an index skip, all that is dead.
 */
export async function withoutSnapshots(sql: postgres.ISql): Promise<void> {
  await eventually(async () => {
    const others = await sql`
      select pid, query from pg_stat_activity
      where datname = current_database() and backend_xmin is not null and pid <> pg_backend_pid()`;
    assert.deepEqual([...others], []);
  });
}

/** An empty database on a real Postgres. */
export async function withBarePostgresDatabase(fn: (database: TestDatabase) => Promise<void>): Promise<void> {
  requirePostgres();
  await withBareDatabase(fn);
}

/**
 * A migrated database in which pg_cron runs jobs, on a server of its own: pg_cron serves one database per server, and on
 * a server that made and dropped it before, it has at times run no job at all. Without pg_cron the test is skipped, and
 * named at the end of the run.
 */
export async function withCronDatabase(
  test: string,
  fn: (database: TestDatabase) => Promise<void>,
): Promise<void> {
  await withBareCronDatabase(test, async (database) => {
    await applyMigrations(database.sql);
    await fn(database);
  });
}

/** The same without the migrations. */
export async function withBareCronDatabase(
  test: string,
  fn: (database: TestDatabase) => Promise<void>,
): Promise<void> {
  requirePostgres();
  const missing = Deno.env.get("TEST_NO_CRON");
  if (missing) return skipped(test, missing);
  const folder = join(Deno.env.get("TEST_RUN_FOLDER")!, `cron-${crypto.randomUUID().slice(0, 8)}`);
  const binaries = { folder: Deno.env.get("TEST_POSTGRES_BINARIES")!, hasCron: true };
  try {
    const url = new URL(await startCluster(binaries, folder));
    const server = postgres(url.href, { max: 1 });
    await server`create database ${server(CRON_DATABASE)}`;
    await server.end();
    url.pathname = CRON_DATABASE;
    await useCronDatabase(url.href, fn);
  } finally {
    await stopCluster(folder);
  }
}

async function useCronDatabase(url: string, fn: (database: TestDatabase) => Promise<void>): Promise<void> {
  const sql = postgres(url, { onnotice: () => {} });
  try {
    await fn({ sql, url });
  } finally {
    await sql.end({ timeout: 5 });
  }
}

function requirePostgres(): void {
  if (databaseKind() === "postgres") return;
  throw new Error('This test needs a real Postgres: run its file with "deno task test <file>"');
}
