import type postgres from "postgres";

/** A query of the driver, with fields that its types leave out. */
export interface DriverQuery extends Promise<unknown> {
  options: { onexecute?: () => boolean };
  /** Null until the query is sent. */
  state: unknown;
  /** A query that is cancelled is never sent. */
  cancelled: unknown;
  /** The error after which the driver prepared the statement again and repeated it. */
  retried?: unknown;
  /** Called once, when the first caller waits for the query. */
  handler(query: DriverQuery): void;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** A query or a transaction that waits for a connection or has one. */
export interface Job {
  startedAt: number;
  hasConnection(): boolean;
  reject(error: unknown): void;
}

/** Returns a client that passes each of its queries, and each part of one, to `watch` before it starts. */
export function watchQueries(sql: postgres.Sql, watch: (query: DriverQuery) => void): postgres.Sql {
  const watched = <Made>(made: Made): Made => {
    // Lists of values are made the same way. Waiting for a query here would start it.
    if (made instanceof Promise) watch(made as unknown as DriverQuery);
    return made;
  };
  const unsafe = (...args: Parameters<postgres.Sql["unsafe"]>) => watched(sql.unsafe(...args));
  return new Proxy(sql, {
    apply: (_, __, args: Parameters<postgres.Sql>) => watched(sql(...args) as unknown),
    get: (_, name) => name === "unsafe" ? unsafe : Reflect.get(sql, name),
  });
}
