import postgres from "postgres";
import { readTls } from "../../database_tls.ts";
import { type PoolListener, replaceLostPools } from "./driver_repairs.ts";
import { ARRAY_TYPES, type Sql } from "./wire_types.ts";

export type { Sql };

export interface ConnectOptions extends Pick<PoolListener, "onQuery" | "maxQueryMs"> {
  /** Connections at most. @default POOL_CONNECTIONS */
  max?: number;
  /** Whether statements are prepared, as a pooler may not allow. @default true, except behind Supabase's transaction pooler */
  prepare?: boolean;
  /** The longest wait for a new connection. @default 5 */
  connectTimeoutS?: number;
  /** Called once, when the server has lost a statement and the pool stops preparing statements. */
  onStatementsLost?: () => void;
}

/** The connections of a process, at most. */
export const POOL_CONNECTIONS = 8;

/** Supabase's pooler in transaction mode listens here and cannot keep prepared statements. */
const TRANSACTION_POOLER_PORT = "6543";

/** The longest wait between two attempts to connect; the driver's default reaches 20 s. */
const MAX_RECONNECT_S = 1;

/**
 * A session of the database keeps the memory of its largest statement and every plan it has made, so connections end after five
 * to ten minutes of their own; the driver's default is up to an hour. All of a pool have the same time, each from its start.
 */
const MIN_LIFETIME_S = 300;

/**
 * Opens the pool. It connects with the first query, and again after a loss, in a pool that has lost nothing
 * (`driver_repairs.ts`). It prepares statements until the server has lost one, as happens behind a pooler that gives
 * each transaction another session. A statement whose result has changed (0A000), such as by a migration, is only prepared
 * again, which the driver does.
 *
 * @param url `postgres://user:password@host:port/database`, with `sslmode` and `sslrootcert` as `readTls` reads them
 * @throws Error when the certificates of the URL cannot be read
 */
export function connect(
  url: string,
  {
    max = POOL_CONNECTIONS,
    prepare = new URL(url).port !== TRANSACTION_POOLER_PORT,
    connectTimeoutS = 5,
    onStatementsLost = () => {},
    ...listener
  }: ConnectOptions = {},
): Sql {
  const address = readTls(url);
  const open = (before?: Sql) =>
    postgres(address.url, {
      ...address.ssl !== undefined && { ssl: address.ssl },
      max,
      prepare: before?.options.prepare ?? prepare,
      connect_timeout: connectTimeoutS,
      backoff: (attempts) => Math.min(MAX_RECONNECT_S, 3 ** attempts / 100),
      idle_timeout: 60,
      max_lifetime: MIN_LIFETIME_S * (1 + Math.random()),
      onnotice: () => {},
      fetch_types: false,
      types: ARRAY_TYPES,
      connection: { application_name: "outbound" },
    }) as unknown as Sql;
  const sql = replaceLostPools(open, {
    onRefused(error) {
      if (isPreparedStatementLost(error) && stopPreparing(sql)) onStatementsLost();
    },
    ...listener,
  });
  return sql;
}

/** Stops preparing the pool's statements. Returns whether it did prepare them. */
export function stopPreparing({ options }: Sql): boolean {
  const { prepare } = options;
  options.prepare = false;
  return prepare;
}

/** Returns whether a statement met a session that does not know it, or knows another by its name. */
export function isPreparedStatementLost(error: unknown): boolean {
  const { code, message = "" } = (error ?? {}) as { code?: string; message?: string };
  return code === "26000" || code === "42P05" ||
    code === "08P01" && message.startsWith("bind message supplies");
}

/** Returns a value as a jsonb parameter. The driver's own type leaves out interfaces and `unknown`, which JSON can hold. */
export function jsonParameter(sql: Sql, value: unknown): postgres.Parameter {
  return sql.json(value as postgres.JSONValue);
}
