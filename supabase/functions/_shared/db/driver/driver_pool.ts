/**
 * One pool of the driver (postgres 3.4.9). It says when it must not be used any more.
 *
 * A connection of the driver does not recover from a loss. The query that was lost stays on it: while the database refuses
 * connections, the next query waits instead of failing, and then gets the error of an earlier try. Bytes that waited to be
 * written stay too: the connection then sends nothing for up to a minute. So `connect.ts` opens another pool as soon as
 * one has lost a connection.
 *
 * @module
 */
import type postgres from "postgres";
import { type DriverQuery, type Job, watchQueries } from "./driver_query.ts";
import { runTransaction } from "./driver_transaction.ts";
import { isConnectionError } from "../../error_cause.ts";

/** The client every query goes through. */
export type Sql = postgres.Sql;

/** Counts how a pool is used. A query that waits for a connection has begun. */
export interface PoolMeter {
  begins(): void;
  /** @param seconds since it began */
  ends(seconds: number): void;
}

export interface DriverPoolOptions {
  /** Called with the error of every statement that the server refused, also of one that the driver repeated with success. */
  onRefused(error: unknown): void;
  /** Called with the error of every query that fails outside a transaction. */
  onError?: ((error: unknown) => void) | undefined;
  meter?: PoolMeter | undefined;
}

export interface DriverPool {
  sql: Sql;
  /** Whether it has lost a connection, or cannot make one: it should get no more queries. */
  isBroken(): boolean;
  /** Ends the pool when nothing runs in it. Rejects what is not sent within two seconds. */
  retire(): Promise<void>;
}

/** The longest wait for a connection in a pool that makes none: longer than `connect_timeout`. */
const MAX_WAIT_MS = 6000;
/** The longest wait for a connection in a retired pool. */
export const MAX_WAIT_RETIRED_MS = 2000;

/** Watches a pool of the driver. It takes no cursors, and no savepoints in transactions. */
export function watchPool(pool: Sql, { onRefused, onError, meter }: DriverPoolOptions): DriverPool {
  const jobs = new Map<Job, ReturnType<typeof setTimeout>>();
  let hasLost = false;
  let isRetired = false;
  let lastEndAt = performance.now();
  const unused = Promise.withResolvers<void>();

  function start(job: Job): void {
    jobs.set(job, setTimeout(() => checkWait(job), MAX_WAIT_MS));
  }

  function end(job: Job): void {
    clearTimeout(jobs.get(job));
    jobs.delete(job);
    lastEndAt = performance.now();
    if (isRetired && jobs.size === 0) unused.resolve();
  }

  /** Something in front of a database may take each connection and close it. The driver then retries without an end. */
  function checkWait(job: Job): void {
    if (job.hasConnection()) return;
    const connected = [...jobs.keys()].filter((each) => each.hasConnection()).length;
    if (connected >= pool.options.max || lastEndAt > job.startedAt) return start(job);
    hasLost = true;
    job.reject(noConnection());
  }

  function watch(query: DriverQuery): void {
    const { handler, resolve, reject } = query;
    const job: Job = {
      startedAt: 0,
      hasConnection: () => query.state !== null,
      reject(error) {
        query.cancelled = true; // it is never sent
        query.reject(error);
      },
    };
    query.options.onexecute = refusePipelining;
    query.handler = () => {
      job.startedAt = performance.now();
      meter?.begins();
      start(job);
      handler(query);
    };
    // The driver settles a lost query twice: at the loss, and when its connection is used again.
    function endOnce(): void {
      if (!jobs.has(job)) return;
      end(job);
      meter?.ends((performance.now() - job.startedAt) / 1000);
    }
    query.resolve = (result) => {
      endOnce();
      if (query.retried) onRefused(query.retried);
      resolve(result);
    };
    query.reject = (error) => {
      if (jobs.has(job)) {
        // A connection that was refused leaves nothing behind.
        if (isConnectionError(error) && (job.hasConnection() || isTimeout(error))) hasLost = true;
        onRefused(error);
        onError?.(error);
      }
      endOnce();
      reject(error);
    };
  }

  async function begin(...args: unknown[]): Promise<unknown> {
    const { job, result } = runTransaction(pool, args);
    start(job);
    try {
      return await result;
    } catch (error) {
      if (isConnectionError(error)) hasLost = true;
      onRefused(error);
      throw error;
    } finally {
      end(job);
    }
  }

  const watched = watchQueries(pool, watch);
  return {
    sql: new Proxy(watched, { get: (_, name) => name === "begin" ? begin : Reflect.get(watched, name) }),
    isBroken: () => hasLost,
    async retire() {
      isRetired = true;
      if (jobs.size === 0) unused.resolve();
      const timer = setTimeout(() => {
        for (const job of [...jobs.keys()].filter((job) => !job.hasConnection())) job.reject(noConnection());
      }, MAX_WAIT_RETIRED_MS);
      await unused.promise;
      clearTimeout(timer);
      await new Promise((resolve) => setTimeout(resolve)); // a query may be made that nobody waits for yet
      await pool.end({ timeout: MAX_WAIT_RETIRED_MS / 1000 });
    },
  };
}

function noConnection(): Error {
  return Object.assign(new Error("No connection to the database"), { code: "CONNECT_TIMEOUT" });
}

/** Returns whether no connection could be made in time. */
function isTimeout(error: unknown): boolean {
  return (error as { code?: unknown }).code === "CONNECT_TIMEOUT";
}

/**
 * Returns to the driver, for a query that it has sent, whether its connection may take another one meanwhile. The driver
 * repeats a statement that the server has forgotten in two steps. A query that was sent between them and the statement
 * received each other's rows.
 */
function refusePipelining(): boolean {
  return false;
}
