import postgres from "postgres";
import { JsonValue, repeatableTypes } from "./wire_types.ts";

/** The client every query goes through. */
export type Sql = postgres.Sql;

export interface ConnectOptions {
  /** Connections at most. @default POOL_CONNECTIONS */
  max?: number;
  /** Called once, when the server has forgotten a statement and the pool stops preparing statements. */
  onForgotten?: () => void;
  /** Called with the error of every query that fails outside a transaction. */
  onError?: (error: unknown) => void;
  /** Receives how queries outside transactions use the pool. */
  meter?: PoolMeter;
}

/** Counts how a pool is used. A query that waits for a connection has begun. */
export interface PoolMeter {
  begins(): void;
  /** @param seconds since it began */
  ends(seconds: number): void;
}

/** The connections of a process, at most. */
export const POOL_CONNECTIONS = 8;

/** Supabase's pooler in transaction mode listens here and cannot keep prepared statements. */
const TRANSACTION_POOLER_PORT = "6543";

/** The longest wait between two tries to connect; the driver's default reaches 20 s. */
const MAX_RECONNECT_S = 1;

/**
 * Opens the pool. It connects with the first query, and again by itself after a loss. It prepares statements until
 * the server has forgotten one, as happens behind a pooler that gives each transaction another session.
 *
 * @param url `postgres://user:password@host:port/database`
 */
export function connect(
  url: string,
  { max = POOL_CONNECTIONS, onForgotten = () => {}, onError, meter }: ConnectOptions = {},
): Sql {
  function forgotten(): void {
    if (stopPreparing(pool)) onForgotten();
  }

  const pool = postgres(url, {
    max,
    prepare: new URL(url).port !== TRANSACTION_POOLER_PORT,
    connect_timeout: 5,
    backoff: (tries) => Math.min(MAX_RECONNECT_S, 3 ** tries / 100),
    idle_timeout: 60,
    onnotice: () => {},
    fetch_types: false,
    types: repeatableTypes(forgotten),
    connection: { application_name: "outbound" },
  }) as unknown as Sql;
  return wrapPool(pool, (error) => {
    if (isForgotten(error)) forgotten();
    onError?.(error);
  }, meter);
}

/** Stops preparing the pool's statements. Returns whether it did prepare them. */
export function stopPreparing({ options }: Sql): boolean {
  const { prepare } = options;
  options.prepare = false;
  return prepare;
}

/** Returns whether a statement met a session that does not know it, or knows another by its name. */
export function isForgotten(error: unknown): boolean {
  const { code, message = "" } = (error ?? {}) as { code?: string; message?: string };
  return code === "26000" || code === "42P05" ||
    code === "08P01" && message.startsWith("bind message supplies");
}

/** A query of the driver, with fields that its types leave out. */
interface DriverQuery extends Promise<unknown> {
  options: { onexecute?: () => boolean };
  /** Called once, when somebody begins to wait for the query. */
  handler(query: DriverQuery): void;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/**
 * Wraps the pool: `onError` receives the error of every query that fails, and a connection carries one query at a time. The driver
 * (postgres 3.4.9) repeats a statement that the server has forgotten in two steps, and a query that was sent between them
 * and the statement received each other's rows.
 */
function wrapPool(pool: Sql, onError: (error: unknown) => void, meter?: PoolMeter): Sql {
  function query(...args: Parameters<Sql>): unknown {
    const made: unknown = pool(...args);
    // Fragments and lists of values are created the same way. Waiting for a query here would start it.
    if (!(made instanceof Promise)) return made;
    const query = made as DriverQuery;
    const { reject } = query;
    query.options.onexecute = refusePipelining;
    query.reject = (error) => {
      onError(error);
      reject(error);
    };
    if (meter) meterQuery(query, meter);
    return query;
  }

  return Object.assign(query, pool) as unknown as Sql;
}

/**
 * Reports to `meter` when a query begins and ends, once: the driver settles a query that was lost with its connection again
 * whenever it reconnects.
 */
function meterQuery(query: DriverQuery, meter: PoolMeter): void {
  const { handler, resolve, reject } = query;
  let startedAt: number | undefined;
  function end(): void {
    if (startedAt === undefined) return;
    meter.ends((performance.now() - startedAt) / 1000);
    startedAt = undefined;
  }
  query.handler = (query) => {
    startedAt = performance.now();
    meter.begins();
    handler(query);
  };
  query.resolve = (result) => {
    end();
    resolve(result);
  };
  query.reject = (error) => {
    end();
    reject(error);
  };
}

/** Returns to the driver, for a query that it has sent, whether its connection may take another one meanwhile. */
function refusePipelining(): boolean {
  return false;
}

/** Returns a value as a jsonb parameter. The driver's own type leaves out interfaces and `unknown`, which JSON can hold. */
export function jsonParameter(sql: Sql, value: unknown): postgres.Parameter {
  return sql.json(new JsonValue(value) as unknown as postgres.JSONValue);
}

/** A busy pooler may give the same session to both transactions by chance, so this checks several times. */
const ROUNDS = 3;
/** A pooler with a single session lets the second transaction wait for the first. */
const WAIT_MS = 500;

/**
 * Returns whether a statement that one transaction prepared is there in the next. Behind a pooler that gives each transaction
 * another session it is not, unless the pooler carries statements along.
 */
export async function keepsStatements(databaseUrl: string): Promise<boolean> {
  const checked = connect(databaseUrl, { max: 1 });
  const blocking = connect(databaseUrl, { max: 1 });
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const before = await sessionOf(checked);
      const after = await whileBlocked(blocking, () => sessionOf(checked));
      // The statement of one session was there in another: the pooler carries it along.
      if (before !== after) break;
    }
    return true;
  } catch (error) {
    if (isForgotten(error)) return false;
    throw error;
  } finally {
    await Promise.all([checked.end({ timeout: 1 }), blocking.end({ timeout: 1 })]);
  }
}

/** Runs in a transaction, where the driver cannot repeat a forgotten statement by itself. */
async function sessionOf(sql: Sql): Promise<number> {
  return await sql.begin(async (transaction) => {
    const [row] = await transaction<{ pid: number }[]>`select pg_backend_pid() as pid`;
    return row!.pid;
  });
}

/** Does `work` while a transaction of `sql` uses the free session, so that a pooler must give another one. */
async function whileBlocked<Result>(sql: Sql, work: () => Promise<Result>): Promise<Result> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, WAIT_MS);
  let working: Promise<Result> | undefined;
  try {
    await sql.begin(async (transaction) => {
      await transaction`select pg_backend_pid() as pid`;
      working = work();
      await Promise.race([working.catch(() => {}), late.promise]);
    });
    return await working!;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The cause of a failed query: its values (`data`), its text (`statement`), the database or the way to it
 * (`database`), or anything else, such as a fault in our own code (`other`).
 */
export type ErrorCause = "data" | "statement" | "database" | "other";

/** Errors of the driver and of the sockets below it. */
const CONNECTION = /^(CONNECTION_|CONNECT_TIMEOUT|SASL_|E(CONN|PIPE|TIMEDOUT|HOST|NET|NOTFOUND|AI_))/;

/**
 * Names the cause of a failed query. Permanent are integrity and values (SQLSTATE classes 22 and 23) and
 * statements the server cannot read (42, except 42501: the next `grant` gives permissions back). Every other error of a
 * database may be over in a moment: a failover, a pooler and a full disk each have their own codes.
 */
export function causeOf(error: unknown): ErrorCause {
  const { name, code } = (error ?? {}) as { name?: unknown; code?: unknown };
  if (typeof code !== "string") return "other";
  if (CONNECTION.test(code)) return "database";
  if (name !== "PostgresError") return "other";
  if (/^2[23]/.test(code)) return "data";
  return code.startsWith("42") && code !== "42501" ? "statement" : "database";
}
