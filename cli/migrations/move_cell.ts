import postgres from "postgres";
import { activateCell, readCell } from "../../supabase/functions/_shared/db/queue/cell.ts";
import { CommandError } from "../errors/command_error.ts";
import { applyMigrations } from "./apply.ts";
import { pendingMigrations } from "./history.ts";

/** The servers between which a cell moves, both by a direct connection of the tables' owner. */
export interface CellMove {
  /** The server that works, as the new one reaches it. */
  from: string;
  /** The new one, with an empty database. */
  to: string;
  /** PgBouncer's console and the database's name there, where one is in front: its clients wait during the switch. */
  pgbouncer?: { url: string; database: string } | undefined;
  /** Called with how far the copy is. */
  onCopy?: (tables: { copied: number; all: number }) => void;
}

/** How a move ended, or how far it is. */
export interface MoveState {
  state: "following" | "moved";
  tables: number;
  /** How long nothing was accepted and nothing left; null where that was another run, or has not begun. */
  stopped_ms: number | null;
}

interface Ends {
  from: postgres.Sql;
  to: postgres.Sql;
}

/** Publication and subscription. */
const NAME = "outbound";
const POLL_MS = 250;
/** The new server must have the rest of the old one's log within this time, or the old one goes on. */
const CATCH_UP_MS = 30_000;
/** A connection must have ended within this time. */
const END_MS = 5000;
/** PgBouncer must have paused within this time: in session mode it waits for its clients to leave. */
const POOLER_MS = 20_000;
/** The bytes of log that the new server may lack when the switch begins. */
const MAX_LAG = 16 * 1024 * 1024;

/**
 * Copies a cell to another server by logical replication, and follows what changes. Call it again to go on where it was;
 * with `isSwitch` the new server then becomes the cell. Until that has happened, whatever fails leaves the old server
 * working.
 *
 * @throws {CommandError} `refused`, naming the check that fails
 */
export async function moveCell(move: CellMove, { isSwitch }: { isSwitch: boolean }): Promise<MoveState> {
  const ends = { from: open(move.from), to: open(move.to) };
  try {
    if (await hasMoved(ends)) {
      await endSubscription(ends.to);
      await resumePooler(move);
      return { state: "moved", tables: await countTables(ends.from), stopped_ms: null };
    }
    await prepare(ends);
    await subscribe(ends, move.from);
    const tables = await untilCopied(ends.to, move.onCopy);
    // Without statistics, the first hour there would be slow.
    await ends.to.unsafe("analyze");
    if (!isSwitch) return { state: "following", tables, stopped_ms: null };
    return { state: "moved", tables, stopped_ms: await switchOver(ends, move) };
  } finally {
    await Promise.all([ends.from.end({ timeout: 5 }), ends.to.end({ timeout: 5 })]);
  }
}

/** May write also where a switch that broke off has left the database without writes. */
function open(url: string): postgres.Sql {
  return postgres(url, {
    max: 1,
    prepare: false,
    connection: { options: "-c default_transaction_read_only=off" },
    onnotice: () => {},
  });
}

function refused(message: string): CommandError {
  return new CommandError("refused", message);
}

async function hasService(sql: postgres.Sql): Promise<boolean> {
  const [row] = await sql<{ found: boolean }[]>`select to_regclass('outbound.cell') is not null as found`;
  return row!.found;
}

async function hasMoved({ from, to }: Ends): Promise<boolean> {
  if (!await hasService(from)) throw refused("The old server has no tables of the service: check --from");
  if (!await hasService(to)) return false;
  const [old, fresh] = await Promise.all([readCell(from), readCell(to)]);
  return old.state === "standby" && fresh.state === "active" && old.number === fresh.number &&
    await countCompanies(to) > 0;
}

async function countCompanies(sql: postgres.Sql): Promise<number> {
  const [row] = await sql<{ count: number }[]>`select count(*)::int as count from outbound.companies`;
  return row!.count;
}

async function countTables(sql: postgres.Sql): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from pg_class where relnamespace = 'outbound'::regnamespace and relkind = 'r'`;
  return row!.count;
}

interface Server {
  identity: string;
  version: number;
  wal_level: string;
}

async function describeServer(sql: postgres.Sql): Promise<Server> {
  const [row] = await sql<Server[]>`
    select s.system_identifier || '/' || d.oid as identity, current_setting('server_version_num')::int / 10000 as version,
      current_setting('wal_level') as wal_level
    from pg_control_system() as s cross join pg_database as d where d.datname = current_database()`;
  return row!;
}

async function prepare({ from, to }: Ends): Promise<void> {
  const [old, fresh] = await Promise.all([describeServer(from), describeServer(to)]);
  if (old.identity === fresh.identity) throw refused("Both URLs lead to the same database");
  if (old.wal_level !== "logical") {
    throw refused(`The old server has wal_level = ${old.wal_level}: set it to logical, and restart it`);
  }
  if (fresh.version < old.version) {
    throw refused(`The new server is Postgres ${fresh.version}, older than ${old.version}`);
  }
  if (await hasSubscription(to)) return;
  const behind = await pendingMigrations(from);
  if (behind.length > 0) {
    throw refused(`The old server lacks ${behind.length} migrations: run deno task migrate`);
  }
  if (await hasService(to) && await countCompanies(to) > 0) {
    throw refused("The new database has companies already: make an empty one");
  }
  await applyMigrations(to);
  // The migrations' own rows come with the copy. Without its row of cell, the new database sends nothing.
  await to`delete from outbound.webhook_probe`;
  await to`delete from outbound.cell`;
}

async function hasSubscription(sql: postgres.Sql): Promise<boolean> {
  const [row] = await sql`
    select from pg_subscription as s join pg_database as d on d.oid = s.subdbid
    where s.subname = ${NAME} and d.datname = current_database()`;
  return row !== undefined;
}

/** The server takes no parameters in the statements that make these. */
async function subscribe({ from, to }: Ends, address: string): Promise<void> {
  const [published] = await from`select from pg_publication where pubname = ${NAME}`;
  if (published === undefined) {
    const [row] = await from<{ tables: string }[]>`
      select string_agg(format('outbound.%I', relname), ', ') as tables
      from pg_class where relnamespace = 'outbound'::regnamespace and relkind = 'r'`;
    await from.unsafe(`create publication ${NAME} for table ${row!.tables}`);
  }
  if (await hasSubscription(to)) return;
  const [row] = await to<{ address: string }[]>`select quote_literal(${address}::text) as address`;
  const slot = await slotOf(from);
  await to.unsafe(
    `create subscription ${NAME} connection ${row!.address} publication ${NAME} with (slot_name = ${slot})`,
  );
}

/** Returns the name of the database's replication slot: all databases of a server share one set of names. */
async function slotOf(sql: postgres.Sql): Promise<string> {
  const [row] = await sql<{ slot: string }[]>`
    select 'outbound_' || oid as slot from pg_database where datname = current_database()`;
  return row!.slot;
}

async function untilCopied(to: postgres.Sql, onCopy: CellMove["onCopy"] = () => {}): Promise<number> {
  for (;;) {
    const [row] = await to<{ copied: number; all: number; failures: number }[]>`
      select count(*) filter (where r.srsubstate = 'r')::int as copied, count(*)::int as all,
        max(t.apply_error_count + t.sync_error_count)::int as failures
      from pg_subscription as s
      join pg_subscription_rel as r on r.srsubid = s.oid
      left join pg_stat_subscription_stats as t on t.subid = s.oid
      where s.subname = ${NAME}`;
    const { copied, all, failures } = row!;
    onCopy({ copied, all });
    if (copied === all && all > 0) return all;
    if (failures > 0) {
      throw refused("The copy fails: the log of the new server says why. Repeat the command then");
    }
    await pause();
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, POLL_MS));
}

/** Returns for how many milliseconds neither server worked. */
async function switchOver(ends: Ends, move: CellMove): Promise<number> {
  const { from, to } = ends;
  const [row] = await from<{ bytes: string | null }[]>`
    select pg_wal_lsn_diff(pg_current_wal_lsn(), confirmed_flush_lsn) as bytes
    from pg_replication_slots where slot_name = ${await slotOf(from)}`;
  if (row === undefined || Number(row.bytes) > MAX_LAG) {
    throw refused("The new server has not caught up yet: repeat the command in a while");
  }
  const started = performance.now();
  try {
    await inPooler(move, "PAUSE");
    await fence(from);
    await untilCaughtUp(from);
    await compare(ends);
    await copySequences(ends);
  } catch (error) {
    await undo(from, move, error as Error);
    throw error;
  }
  // From here on the old server is never let work again: what fails is gone on with when the command is repeated.
  await activateCell(to);
  await endSubscription(to);
  await resumePooler(move);
  return Math.round(performance.now() - started);
}

/** The old server works on. Where that fails, what stopped the switch is the cause of what is thrown. */
async function undo(from: postgres.Sql, move: CellMove, cause: Error): Promise<void> {
  try {
    await unfence(from);
    await inPooler(move, "RESUME");
  } catch (error) {
    const both = `${cause.message}. To let the old one work on failed too: ${(error as Error).message}`;
    throw new CommandError("refused", `${both}. Nothing is lost: repeat the command`, { cause });
  }
}

/** No process writes into the old server any more, also one that was forgotten: what it commits last is in the log by then. */
async function fence(from: postgres.Sql): Promise<void> {
  await from`update outbound.cell set state = 'standby'`;
  await alterDatabase(from, "set default_transaction_read_only = on");
  const refusing = await from<{ pid: number; started: string }[]>`
    select pid, started from (
      select a.pid, a.backend_start::text as started, pg_terminate_backend(a.pid, ${END_MS}) as is_gone
      from pg_stat_activity as a
      where a.datname = current_database() and a.backend_type = 'client backend' and a.pid <> pg_backend_pid()
    ) as ended where not is_gone`;
  // One that ended by itself in between is none that refuses to.
  const [row] = await from<{ are_gone: boolean }[]>`
    select not exists (
      select from pg_stat_activity as a
      join unnest(${refusing.map(({ pid }) => pid)}::int[], ${refusing.map(({ started }) => started)}::text[])
        as r(pid, started) on a.pid = r.pid and a.backend_start::text = r.started
    ) as are_gone`;
  if (!row!.are_gone) throw refused("A connection to the old server does not end: the old one works on");
}

async function endSubscription(to: postgres.Sql): Promise<void> {
  await to.unsafe(`drop subscription if exists ${NAME}`);
}

async function unfence(from: postgres.Sql): Promise<void> {
  await alterDatabase(from, "reset default_transaction_read_only");
  await from`update outbound.cell set state = 'active'`;
}

async function alterDatabase(sql: postgres.Sql, change: string): Promise<void> {
  const [row] = await sql<{ statement: string }[]>`
    select format('alter database %I ', current_database()) || ${change}::text as statement`;
  await sql.unsafe(row!.statement);
}

async function untilCaughtUp(from: postgres.Sql): Promise<void> {
  const [end] = await from<{ lsn: string }[]>`select pg_current_wal_lsn()::text as lsn`;
  const name = await slotOf(from);
  const until = performance.now() + CATCH_UP_MS;
  for (;;) {
    const [slot] = await from<{ is_there: boolean }[]>`
      select confirmed_flush_lsn >= ${
      end!.lsn
    }::pg_lsn as is_there from pg_replication_slots where slot_name = ${name}`;
    if (slot?.is_there) return;
    if (performance.now() > until) {
      throw refused(
        "The new server did not catch up within 30 s: the old one works on. Look at the new one's log",
      );
    }
    await pause();
  }
}

/** Compares what would be noticed first: how many rows these tables have. */
async function compare({ from, to }: Ends): Promise<void> {
  for (const table of ["companies", "senders", "campaigns", "queue"]) {
    const counts = await Promise.all([from, to].map(async (sql) => {
      const [row] = await sql<{ count: string }[]>`select count(*) from ${sql(`outbound.${table}`)}`;
      return row!.count;
    }));
    if (counts[0] !== counts[1]) {
      throw refused(
        `Table ${table} has ${counts[0]} rows, on the new server ${counts[1]}: the old one works on`,
      );
    }
  }
}

/** Replication leaves them out. */
async function copySequences({ from, to }: Ends): Promise<void> {
  const sequences = await from<{ name: string; last_value: string }[]>`
    select sequencename as name, last_value from pg_sequences where schemaname = 'outbound' and last_value is not null`;
  for (const { name, last_value } of sequences) {
    await to`select setval(${`outbound.${name}`}::regclass, ${last_value}::bigint)`;
  }
}

/** Has PgBouncer read its file, in which the operator has named the new server, and let its clients go on. */
async function resumePooler(move: CellMove): Promise<void> {
  if (move.pgbouncer === undefined) return;
  const { url, database } = move.pgbouncer;
  await askPooler(url, "RELOAD");
  const { hostname, port } = new URL(move.to);
  const known = await askPooler(url, "SHOW DATABASES");
  const { host, port: shown } = known.find(({ name }) => name === database) ?? {};
  if (host !== hostname || Number(shown) !== Number(port || 5432)) {
    throw refused(
      `The new server works, and PgBouncer waits: name ${hostname} in its file, and repeat the command`,
    );
  }
  await inPooler(move, "RESUME");
}

async function inPooler({ pgbouncer }: CellMove, command: "PAUSE" | "RESUME"): Promise<void> {
  if (pgbouncer === undefined) return;
  const { url, database } = pgbouncer;
  const isSo = (await askPooler(url, "SHOW DATABASES"))
    .some(({ name, paused }) => name === database && (Number(paused) === 1) === (command === "PAUSE"));
  if (!isSo) await askPooler(url, `${command} "${database.replaceAll('"', '""')}"`);
}

/** PgBouncer's console knows only the simple protocol. It waits for transactions that are under way. */
async function askPooler(url: string, command: string): Promise<Record<string, string>[]> {
  const sql = postgres(url, { max: 1, prepare: false, fetch_types: false, onnotice: () => {} });
  const late = setTimeout(() => void sql.end({ timeout: 0 }), POOLER_MS);
  try {
    return [...await sql.unsafe(command).simple()] as Record<string, string>[];
  } finally {
    clearTimeout(late);
    await sql.end({ timeout: 1 });
  }
}
