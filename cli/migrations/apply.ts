import type postgres from "postgres";
import { type Migration, readMigrations } from "./read.ts";

export interface ApplyMigrationsOptions {
  /** Folder of the `.sql` files. @default supabase/migrations */
  directory?: URL;
}

/**
 * Brings a database up to date with the files of `supabase/migrations` and answers the names it applied, oldest first.
 *
 * Keeps the history of the Supabase CLI (`supabase_migrations.schema_migrations`), so this and `supabase db push`
 * find each other's work. Each file is one transaction together with its history row: it happened entirely or not at
 * all. Any number of runners may start at once; a lock that ends with the transaction, and therefore holds through a
 * transaction pooler too, lets one at a time look and apply.
 *
 * @throws Error naming the file, with the database's error as `cause`, when a file fails or arrives out of order
 */
export async function applyMigrations(
  sql: postgres.Sql,
  options: ApplyMigrationsOptions = {},
): Promise<{ applied: string[] }> {
  const migrations = await readMigrations(options.directory);
  const known = await sql.begin(async (transaction) => {
    await lock(transaction);
    await createHistory(transaction);
    return await versionsIn(transaction);
  });
  const pending = migrations.filter((migration) => !known.has(migration.version));
  refuseOutOfOrder(migrations, pending);

  const applied: string[] = [];
  for (const migration of pending) {
    if (await applyOne(sql, migration)) applied.push(migration.file);
  }
  return { applied };
}

/** Any number nobody else uses as a lock; it only has to be the same for every runner. */
const LOCK_KEY = "7239410586123470091";

async function lock(transaction: postgres.TransactionSql): Promise<void> {
  await transaction`select pg_advisory_xact_lock(${LOCK_KEY}::bigint)`;
}

async function createHistory(transaction: postgres.TransactionSql): Promise<void> {
  const [found] = await transaction`select to_regclass('supabase_migrations.schema_migrations') as name`;
  if (found?.name) return;
  await transaction.unsafe(`
    create schema if not exists supabase_migrations;
    create table supabase_migrations.schema_migrations (version text primary key, statements text[], name text);
  `).simple();
}

async function versionsIn(transaction: postgres.TransactionSql): Promise<Set<string>> {
  const rows = await transaction<{ version: string }[]>`
    select version from supabase_migrations.schema_migrations`;
  return new Set(rows.map((row) => row.version));
}

/** `supabase db push` refuses this too: a file that slips in before one already applied was never tried in that order. */
function refuseOutOfOrder(migrations: Migration[], pending: Migration[]): void {
  const waiting = new Set(pending);
  const lastApplied = migrations.findLast((migration) => !waiting.has(migration));
  const late = pending[0];
  if (!lastApplied || !late || migrations.indexOf(late) > migrations.indexOf(lastApplied)) return;
  throw new Error(`Migration ${late.file} sorts before ${lastApplied.file}, which is already applied`);
}

async function applyOne(sql: postgres.Sql, migration: Migration): Promise<boolean> {
  return await sql.begin(async (transaction) => {
    await lock(transaction);
    if ((await versionsIn(transaction)).has(migration.version)) return false;
    await transaction.unsafe(migration.text).simple().catch((cause) => {
      throw new Error(`Migration ${migration.file} failed: ${describe(cause, migration.text)}`, { cause });
    });
    await transaction`
      insert into supabase_migrations.schema_migrations (version, name, statements)
      values (${migration.version}, ${migration.name}, array[${migration.text}])`;
    return true;
  });
}

function describe(cause: unknown, text: string): string {
  const { message, position } = cause as { message?: string; position?: string };
  if (!position) return String(message ?? cause);
  const line = Array.from(text).slice(0, Number(position)).filter((character) => character === "\n").length +
    1;
  return `${message} (line ${line})`;
}
