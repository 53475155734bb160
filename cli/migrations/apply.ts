import type postgres from "postgres";
import { type Blocker, describeBlockers, pause, watchBlockers } from "./blockers.ts";
import { laterVersions, readHistory, refuseOtherLineage } from "./history.ts";
import {
  concurrentStatements,
  IndexBusyError,
  runConcurrentStatement,
  runsOutsideTransaction,
} from "./outside_transaction.ts";
import { type Migration, readMigrations } from "./read.ts";

export interface ApplyMigrationsOptions {
  /** Folder of the `.sql` files. @default supabase/migrations */
  directory?: URL;
  /** How long a file may wait for a lock, and all others behind it. A file may set another time. @default 2000 */
  lockTimeoutMs?: number;
  /** How long to wait before the next attempt, while others use the table. @default 5000 */
  pauseMs?: number;
  /** How long to retry. @default 600000 */
  maxWaitMs?: number;
  /** Called with a line of text whenever a file has to wait. */
  onWait?: (line: string) => void;
  /** A role that gets what the service needs, in the transaction of each file. */
  grantTo?: string | undefined;
}

type Settings = Required<Omit<ApplyMigrationsOptions, "directory" | "grantTo">> & {
  grantTo?: string | undefined;
};

const DEFAULTS: Settings = { lockTimeoutMs: 2000, pauseMs: 5000, maxWaitMs: 600_000, onWait: () => {} };

/** SQLSTATEs of a lock that could not be taken: lock_not_available, deadlock_detected. */
const NO_LOCK = new Set(["55P03", "40P01"]);

/** The index exists already: another runner was faster. */
const DUPLICATE_TABLE = "42P07";

/** Two runners drop or create the same index at the same time. Postgres has no SQLSTATE for it. */
const CONCURRENT_CHANGE = /^tuple concurrently (updated|deleted)$/;

/**
 * Applies the files of `supabase/migrations` that a database lacks, and returns the names of those it applied, oldest first,
 * and the versions that follow the newest file: a later version of this service, or another project, has applied them.
 *
 * Keeps the history of the Supabase CLI (`supabase_migrations.schema_migrations`), so this and `supabase db push`
 * see each other's work. Each file is one transaction together with its history row. Any number of runners may start at
 * once: a lock that ends with the transaction, and so works through a transaction pooler too, lets one at a time apply.
 *
 * A file that cannot lock a table fails after two seconds and is retried later, because everything behind it waits as
 * well. A file whose first line is `-- no transaction` runs outside a transaction, for indexes that are made while others
 * write.
 *
 * @throws Error naming the file, with the database's error as `cause`, when a file fails or arrives out of order
 * @throws {LineageError} for a database that a pre-release version made
 */
export async function applyMigrations(
  sql: postgres.Sql,
  { directory, ...options }: ApplyMigrationsOptions = {},
): Promise<{ applied: string[]; later: string[] }> {
  const settings = { ...DEFAULTS, ...options };
  const migrations = await readMigrations(directory);
  const history = await sql.begin(async (transaction) => {
    await lock(transaction);
    const found = await readHistory(transaction);
    refuseOtherLineage(migrations, found);
    await createHistory(transaction);
    return found;
  });
  const pending = migrations.filter((migration) => !history.versions.has(migration.version));
  refuseOutOfOrder(migrations, pending);

  const applied: string[] = [];
  for (const migration of pending) {
    if (await applyWithRetries(sql, migration, settings)) applied.push(migration.file);
  }
  // Also where no file is left to apply.
  await sql.begin(async (transaction) => {
    await lock(transaction);
    await grant(transaction, settings);
  });
  return { applied, later: laterVersions(migrations, history) };
}

async function grant(transaction: postgres.TransactionSql, { grantTo }: Settings): Promise<void> {
  if (grantTo !== undefined) await transaction`select outbound.grant_service(${grantTo})`;
}

/** Any number that no other lock uses; it only has to be the same for every runner. */
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

/** `supabase db push` refuses this too: a file that sorts before an applied one was never tested in that order. */
function refuseOutOfOrder(migrations: Migration[], pending: Migration[]): void {
  const waiting = new Set(pending);
  const lastApplied = migrations.findLast((migration) => !waiting.has(migration));
  const late = pending[0];
  if (!lastApplied || !late || migrations.indexOf(late) > migrations.indexOf(lastApplied)) return;
  throw new Error(`Migration ${late.file} sorts before ${lastApplied.file}, which is already applied`);
}

/** Retries until the file is applied, here or by another runner; returns whether it was here. */
async function applyWithRetries(
  sql: postgres.Sql,
  migration: Migration,
  settings: Settings,
): Promise<boolean> {
  const { pauseMs, maxWaitMs, onWait } = settings;
  const attempt = runsOutsideTransaction(migration) ? applyOutsideTransaction : applyInTransaction;
  const deadline = Date.now() + maxWaitMs;
  while (true) {
    const outcome = await attempt(sql, migration, settings);
    if (typeof outcome === "boolean") return outcome;
    if (Date.now() + pauseMs > deadline) {
      throw new Error(
        `Migration ${migration.file} was not applied: ${outcome.reason}. Run "deno task migrate" again later`,
        { cause: outcome.cause },
      );
    }
    onWait(`${migration.file} waits: ${outcome.reason}; the next attempt is in ${seconds(pauseMs)}`);
    await pause(pauseMs, new AbortController().signal);
  }
}

/** Why an attempt failed although the file is right. */
interface Blocked {
  reason: string;
  cause: unknown;
}

async function applyInTransaction(
  sql: postgres.Sql,
  migration: Migration,
  settings: Settings,
): Promise<boolean | Blocked> {
  const { lockTimeoutMs } = settings;
  let watcher: { stop(): Promise<Blocker[]> } | undefined;
  try {
    return await sql.begin(async (transaction) => {
      await lock(transaction);
      if ((await readHistory(transaction)).versions.has(migration.version)) return false;
      const [row] = await transaction<{ pid: number }[]>`
        select pg_backend_pid() as pid, set_config('lock_timeout', ${`${lockTimeoutMs}ms`}, true)`;
      watcher = watchBlockers(sql, { pid: row!.pid }, { everyMs: lockTimeoutMs / 4 });
      await transaction.unsafe(migration.text).simple().catch((cause) => {
        throw failureOf(migration, cause);
      });
      await grant(transaction, settings);
      await record(transaction, migration);
      return true;
    });
  } catch (error) {
    const { cause = error } = error as Error;
    if (!NO_LOCK.has((cause as { code?: string }).code ?? "")) throw error;
    const blockers = await watcher?.stop() ?? [];
    return { reason: `a lock it needs is held by ${describeBlockers(blockers)}`, cause };
  } finally {
    await watcher?.stop();
  }
}

/** Writes the history row last: a run that fails half way is repeated, and skips the statements that are done. */
async function applyOutsideTransaction(
  sql: postgres.Sql,
  migration: Migration,
  { pauseMs, onWait }: Settings,
): Promise<boolean | Blocked> {
  if ((await readHistory(sql)).versions.has(migration.version)) return false;
  for (const statement of concurrentStatements(migration)) {
    const watcher = watchBlockers(sql, { statement: statement.text }, {
      everyMs: pauseMs,
      onBlocked: (blockers) =>
        onWait(`${migration.file} waits, without blocking others, for ${describeBlockers(blockers)}`),
    });
    try {
      await runConcurrentStatement(sql, statement);
    } catch (cause) {
      const { code = "", message } = cause as { code?: string; message: string };
      if (cause instanceof IndexBusyError) return { reason: message.toLowerCase(), cause };
      if (NO_LOCK.has(code) || code === DUPLICATE_TABLE || CONCURRENT_CHANGE.test(message)) {
        return { reason: message, cause };
      }
      throw failureOf(migration, cause);
    } finally {
      await watcher.stop();
    }
  }
  const recorded = await record(sql, migration);
  return recorded.length > 0;
}

async function record(sql: postgres.ISql, { version, name, text }: Migration): Promise<readonly unknown[]> {
  return await sql`
    insert into supabase_migrations.schema_migrations (version, name, statements)
    values (${version}, ${name}, array[${text}]) on conflict do nothing returning 1`;
}

function failureOf(migration: Migration, cause: unknown): Error {
  return new Error(`Migration ${migration.file} failed: ${describe(cause, migration.text)}`, { cause });
}

function describe(cause: unknown, text: string): string {
  const { message, position } = cause as { message?: string; position?: string };
  if (!position) return String(message ?? cause);
  const line = Array.from(text).slice(0, Number(position)).filter((character) => character === "\n").length +
    1;
  return `${message} (line ${line})`;
}

function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
}
