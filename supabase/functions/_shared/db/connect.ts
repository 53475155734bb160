import postgres from "postgres";
import { JsonValue, repeatableTypes } from "./repeatable_types.ts";

/** The client every query goes through. */
export type Sql = postgres.Sql;

export interface ConnectOptions {
  /** Connections at most. @default 8 */
  max?: number;
  /** Called once, when a statement turned out to be forgotten and the pool goes on without preparing any. */
  onForgotten?: () => void;
  /** Called with what every query outside a transaction fails with. */
  onError?: (error: unknown) => void;
}

/** Supabase's pooler in transaction mode listens here and cannot keep prepared statements. */
const TRANSACTION_POOLER_PORT = "6543";

/** Every connection waits this long at most between two tries to connect; by the driver's own rule it can be 20 s. */
const MAX_RECONNECT_S = 1;

/**
 * Opens the pool. It connects with the first query, and again by itself after a loss. Statements are prepared until one
 * turns out to be forgotten, which is what a pooler does that gives each transaction another session.
 *
 * @param url `postgres://user:password@host:port/database`
 */
export function connect(url: string, { max = 8, onForgotten = () => {}, onError }: ConnectOptions = {}): Sql {
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
  return watched(pool, (error) => {
    if (isForgotten(error)) forgotten();
    onError?.(error);
  });
}

/** From now on no statement of the pool is prepared. Returns whether they were. */
export function stopPreparing({ options }: Sql): boolean {
  const { prepare } = options;
  options.prepare = false;
  return prepare;
}

/** A statement met a session that does not know it, or knows another by its name. */
export function isForgotten(error: unknown): boolean {
  const { code, message = "" } = (error ?? {}) as { code?: string; message?: string };
  return code === "26000" || code === "42P05" ||
    code === "08P01" && message.startsWith("bind message supplies");
}

/** What the driver keeps of a query, beyond what its types tell. */
interface DriverQuery extends Promise<unknown> {
  options: { onexecute?: () => boolean };
  reject(error: unknown): void;
}

/**
 * The same pool, but `onError` hears of every query that fails, and a connection carries one query at a time. The driver
 * (postgres 3.4.9) repeats a statement that the server has forgotten in two steps, and a query that was sent between them
 * and the statement took each other's rows.
 */
function watched(pool: Sql, onError: (error: unknown) => void): Sql {
  function query(...args: Parameters<Sql>): unknown {
    const made: unknown = pool(...args);
    // Fragments and lists of values are made the same way. Waiting for a query here would start it.
    if (!(made instanceof Promise)) return made;
    const query = made as DriverQuery;
    const { reject } = query;
    query.options.onexecute = takesNoOther;
    query.reject = (error) => {
      onError(error);
      reject(error);
    };
    return query;
  }

  return Object.assign(query, pool) as unknown as Sql;
}

/** The driver asks this of a query that it has sent: whether its connection can take another one meanwhile. */
function takesNoOther(): boolean {
  return false;
}

/** A value as a jsonb parameter. The driver's own type leaves out interfaces and `unknown`, which JSON can hold. */
export function jsonParameter(sql: Sql, value: unknown): postgres.Parameter {
  return sql.json(new JsonValue(value) as unknown as postgres.JSONValue);
}
