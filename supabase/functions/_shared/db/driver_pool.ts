/**
 * One pool of the driver (postgres 3.4.9), and what must be known to stop using it in time.
 *
 * A connection of the driver that was lost keeps what it was doing, and does not recover by itself: the query that it opens a
 * connection for next waits for as long as the database refuses connections, and then gets the error of an earlier try; one that
 * was lost while bytes waited to be written sends nothing for up to a minute. So `connect.ts` takes another pool as soon
 * as one has lost a connection.
 *
 * @module
 */
import type postgres from "postgres";
import { isConnectionError } from "./error_cause.ts";

/** The client every query goes through. */
export type Sql = postgres.Sql;

/** Counts how a pool is used. A query that waits for a connection has begun. */
export interface PoolMeter {
  begins(): void;
  /** @param seconds since it began */
  ends(seconds: number): void;
}

export interface DriverPoolOptions {
  /** Called with the error of every query that fails outside a transaction. */
  onError(error: unknown): void;
  meter?: PoolMeter | undefined;
}

export interface DriverPool {
  sql: Sql;
  /** Whether it should not get more queries: it has lost a connection, or cannot make one. */
  isBroken(): boolean;
  /** Ends it when what runs is over, and resolves then. What is not sent within two seconds is rejected. */
  retire(): Promise<void>;
}

/** A query of the driver, with fields that its types leave out. */
interface DriverQuery extends Promise<unknown> {
  options: { onexecute?: () => boolean };
  /** Null until the query is sent. */
  state: unknown;
  /** A query that is cancelled is never sent. */
  cancelled: unknown;
  /** Called once, when somebody begins to wait for the query. */
  handler(query: DriverQuery): void;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** The longest wait of a query for a connection, though not all are taken: longer than `connect_timeout`. */
const MAX_WAIT_MS = 6000;
/** The longest wait of a query for one of the connections that are left to a retired pool. */
const MAX_WAIT_RETIRED_MS = 2000;

/** Watches a pool of the driver. A connection carries one query at a time: see `refusePipelining`. */
export function watchPool(pool: Sql, { onError, meter }: DriverPoolOptions): DriverPool {
  /** When each query began that waits or runs. */
  const queries = new Map<DriverQuery, number>();
  let transactions = 0;
  let hasLost = false;
  let isRetired = false;
  const unused = Promise.withResolvers<void>();

  function watch(query: DriverQuery): DriverQuery {
    const { handler, resolve, reject } = query;
    query.options.onexecute = refusePipelining;
    query.handler = (query) => {
      queries.set(query, performance.now());
      meter?.begins();
      handler(query);
    };
    // The driver may settle a query that was lost with its connection again.
    function end(): void {
      const startedAt = queries.get(query);
      if (startedAt === undefined) return;
      queries.delete(query);
      meter?.ends((performance.now() - startedAt) / 1000);
      resolveUnused();
    }
    query.resolve = (result) => {
      end();
      resolve(result);
    };
    query.reject = (error) => {
      // A connection that was refused leaves nothing behind.
      if (isConnectionError(error) && (query.state || isTimeout(error))) hasLost = true;
      onError(error);
      end();
      reject(error);
    };
    return query;
  }

  async function begin(...args: unknown[]): Promise<unknown> {
    transactions++;
    try {
      return await runTransaction(pool, args, () => hasLost = true);
    } finally {
      transactions--;
      resolveUnused();
    }
  }

  function resolveUnused(): void {
    if (isRetired && queries.size === 0 && transactions === 0) unused.resolve();
  }

  /** Whether the oldest query that is not sent has waited too long, though not every connection is taken. */
  function isStuck(): boolean {
    let sent = transactions;
    for (const [query, startedAt] of queries) {
      if (!query.state) return sent < pool.options.max && performance.now() - startedAt > MAX_WAIT_MS;
      sent++;
    }
    return false;
  }

  function dropUnsent(): void {
    for (const query of [...queries.keys()].filter(({ state }) => !state)) {
      query.cancelled = true;
      query.reject(Object.assign(new Error("No connection to the database"), { code: "CONNECT_TIMEOUT" }));
    }
  }

  const overrides = {
    begin,
    unsafe: (...args: Parameters<Sql["unsafe"]>) => watch(pool.unsafe(...args) as unknown as DriverQuery),
  };
  const sql = new Proxy(pool, {
    apply(_, __, args: Parameters<Sql>) {
      const made: unknown = pool(...args);
      // Fragments and lists of values are created the same way. Waiting for a query here would start it.
      return made instanceof Promise ? watch(made as DriverQuery) : made;
    },
    get: (_, name) => Reflect.get(name in overrides ? overrides : pool, name),
  });
  return {
    sql,
    isBroken: () => hasLost || isStuck(),
    async retire() {
      isRetired = true;
      resolveUnused();
      const timer = setTimeout(dropUnsent, MAX_WAIT_RETIRED_MS);
      await unused.promise;
      clearTimeout(timer);
      await pool.end({ timeout: 0 });
    },
  };
}

/** Returns whether no connection could be made in time. */
function isTimeout(error: unknown): boolean {
  return (error as { code?: unknown }).code === "CONNECT_TIMEOUT";
}

/**
 * Returns to the driver, for a query that it has sent, whether its connection may take another one meanwhile. The driver
 * repeats a statement that the server has forgotten in two steps, and a query that was sent between them and the
 * statement received each other's rows.
 */
function refusePipelining(): boolean {
  return false;
}

/**
 * Runs a transaction, of which nothing more is sent once its connection is lost: the driver's own `rollback` would then end the
 * process, and a further statement would run by itself on the connection that came in its place.
 *
 * @param args the driver's: `fn`, or options and `fn`
 * @param onLost called when the connection is lost
 */
async function runTransaction(pool: Sql, args: unknown[], onLost: () => void): Promise<unknown> {
  const fn = args.pop() as (transaction: Sql) => Promise<unknown>;
  let hasBegun = false;
  let lost: unknown;

  async function guarded(transaction: Sql): Promise<unknown> {
    hasBegun = true;
    try {
      return await fn(guard(transaction));
    } catch (error) {
      // The driver rejects the transaction by itself.
      if (lost !== undefined) await new Promise(() => {});
      throw error;
    }
  }

  function guard(transaction: Sql): Sql {
    return new Proxy(transaction, {
      apply(_, __, args: Parameters<Sql>) {
        if (lost !== undefined) throw lost;
        const made: unknown = transaction(...args);
        if (!(made instanceof Promise)) return made;
        const query = made as DriverQuery;
        const { reject } = query;
        query.reject = (error) => {
          if (isConnectionError(error)) lost = error;
          reject(error);
        };
        return query;
      },
    });
  }

  try {
    return await (pool.begin as (...args: unknown[]) => Promise<unknown>)(...args, guarded);
  } catch (error) {
    lost ??= error;
    if (hasBegun && isConnectionError(error)) onLost();
    throw error;
  }
}
