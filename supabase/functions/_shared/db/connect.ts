import postgres from "postgres";
import { ARRAY_TYPES } from "./array_types.ts";

/** The client every query goes through. */
export type Sql = postgres.Sql;

/** Supabase's pooler in transaction mode listens here and cannot keep prepared statements. */
const TRANSACTION_POOLER_PORT = "6543";

/** Every connection waits this long at most between two tries to connect; by the driver's own rule it can be 20 s. */
const MAX_RECONNECT_S = 1;

/**
 * Opens the pool. It connects with the first query, and again by itself after a loss.
 *
 * @param url `postgres://user:password@host:port/database`
 */
export function connect(url: string, { max = 8 }: { max?: number } = {}): Sql {
  return postgres(url, {
    max,
    prepare: new URL(url).port !== TRANSACTION_POOLER_PORT,
    connect_timeout: 5,
    backoff: (tries) => Math.min(MAX_RECONNECT_S, 3 ** tries / 100),
    idle_timeout: 60,
    onnotice: () => {},
    fetch_types: false,
    types: ARRAY_TYPES,
    connection: { application_name: "outbound" },
  });
}

/** A value as a jsonb parameter. The driver's own type leaves out interfaces and `unknown`, which JSON can hold. */
export function jsonParameter(sql: Sql, value: unknown): postgres.Parameter {
  return sql.json(value as postgres.JSONValue);
}
