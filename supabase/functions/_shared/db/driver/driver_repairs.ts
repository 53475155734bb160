/**
 * Six repairs of the driver (postgres 3.4.9). `tests/faults/database/driver_faults_test.ts` fails once one of them can go.
 * @module
 */
import { isConnectionError } from "../../error_cause.ts";
import { createSilence, isNoConnection, noConnection, type Silence } from "./silence.ts";
import type { Sql } from "./wire_types.ts";

/** Receives what happens in a pool. */
export interface PoolListener {
  /** Called with the error of every statement that the server refused, also of one that the driver repeated with success. */
  onRefused(error: unknown): void;
  /** Called when a query outside transactions begins, perhaps to wait; the function it returns, when the query ends. */
  onQuery?: (() => (error: unknown) => void) | undefined;
  /** The longest that a query or a transaction may take. @default any time, also while the database is silent */
  maxQueryMs?: number | undefined;
}

/** A query of the driver, with fields that its types leave out. */
interface DriverQuery extends Promise<unknown> {
  options: { onexecute?: () => boolean };
  state: unknown; // null until it has a connection
  cancelled?: unknown; // true: must not be sent any more
  retried?: unknown; // the error after which the driver prepared the statement again and repeated it
  handler(query: DriverQuery): void; // called once, when the first caller waits for the query
  resolve(rows: unknown[]): void;
  reject(error: unknown): void;
}

/** A query, or a transaction with the same parts. */
type Job = Pick<DriverQuery, "state" | "cancelled" | "retried" | "reject">;

/** How much longer than `connect_timeout` a pool may be without a connection, or without a response. */
const MAX_WAIT_AFTER_CONNECT_MS = 1000;
/** The longest wait for a connection, and then for queries, in a pool that another has replaced. */
const MAX_WAIT_REPLACED_S = 2;

/**
 * Opens another pool as soon as one has lost a connection. The driver's next query gets the error of the lost one, or waits
 * for bytes that are never sent. https://github.com/porsager/postgres/pull/1215
 *
 * While the database is silent, every query is refused at once.
 */
export function replaceLostPools(open: (before?: Sql) => Sql, listener: PoolListener): Sql {
  const silence = createSilence(() => open(pool.sql));
  const replaced = new Set<ReturnType<typeof repairPool>>();
  const parts = { ...listener, silence, isOnlyPool: () => replaced.size === 0 };
  let pool = repairPool(open(), parts);
  let hasEnded = false;

  function current(): Sql {
    if (!hasEnded && pool.hasLost()) {
      const lost = pool;
      replaced.add(lost);
      void lost.endWhenUnused().then(() => replaced.delete(lost));
      pool = repairPool(open(lost.sql), parts);
    }
    return pool.sql;
  }

  async function end(options?: { timeout?: number }): Promise<void> {
    hasEnded = true;
    const limited = { timeout: MAX_WAIT_REPLACED_S, ...options };
    await Promise.all([pool.sql.end(options), ...[...replaced].map(({ sql }) => sql.end(limited))]);
  }

  return new Proxy(pool.sql, {
    apply: (_, __, args: Parameters<Sql>) => current()(...args),
    get: (_, name) => name === "end" ? end : Reflect.get(current(), name),
  });
}

interface PoolParts extends PoolListener {
  silence: Silence;
  /** Whether no other pool has been replaced and still has queries. */
  isOnlyPool(): boolean;
}

function repairPool(
  driver: Sql,
  { onRefused, onQuery, maxQueryMs = Infinity, silence, isOnlyPool }: PoolParts,
) {
  const maxWaitMs = driver.options.connect_timeout * 1000 + MAX_WAIT_AFTER_CONNECT_MS;
  const jobs = new Map<Job, ReturnType<typeof setTimeout>>();
  let respondedAt = performance.now();
  let hasLost = false;
  let onUnused = () => {};

  function start(job: Job, startedAt = performance.now()): void {
    jobs.set(job, setTimeout(() => limitWait(job, startedAt), maxWaitMs));
  }

  function end(job: Job, error: unknown, onQueryEnd?: (error: unknown) => void): void {
    if (!jobs.has(job)) return; // refused, as the database is silent
    clearTimeout(jobs.get(job));
    jobs.delete(job);
    if (!isConnectionError(error)) respondedAt = performance.now();
    else if (isNoConnection(error) && !hasLost && !hasConnection()) endUnconnected();
    // A query that was refused a connection leaves nothing behind.
    else hasLost ||= job.state !== null || isNoConnection(error);
    if (error ?? job.retried) onRefused(error ?? job.retried);
    onQueryEnd?.(error);
    if (jobs.size === 0) onUnused();
  }

  function hasConnection(): boolean {
    return [...jobs.keys()].some(({ state }) => state !== null);
  }

  /** All that waits shares the attempt that failed: each of its own would take as long. */
  function endUnconnected(): void {
    if (!hasLost) silence.begin();
    hasLost = true;
    [...jobs.keys()].forEach(rejectWaiting);
  }

  /**
   * Rejects what waits in a pool that makes no connections, what takes longer than any statement may, and all that waits
   * for a silent database. The driver connects forever where a proxy takes each connection and closes it
   * (https://github.com/porsager/postgres/issues/1193), and waits forever where the network, or the server, stands still.
   */
  function limitWait(job: Job, startedAt: number): void {
    start(job, startedAt);
    const now = performance.now();
    if (!hasConnection()) return endUnconnected();
    if (now - startedAt > maxQueryMs) {
      hasLost = true;
      job.reject(noConnection());
    } else if (maxQueryMs < Infinity && now - respondedAt > maxWaitMs) void endIfSilent();
  }

  /**
   * Asks over another connection, because a slow statement looks like a silent database. If that one gets a response, those
   * of this pool may still have lost their way, as when a replica takes over the address: the next queries go to a new pool.
   */
  async function endIfSilent(): Promise<void> {
    const responds = await silence.responds();
    if (performance.now() - respondedAt < maxWaitMs) return;
    hasLost ||= !responds || isOnlyPool();
    if (responds) return;
    silence.begin();
    for (const job of jobs.keys()) {
      rejectWaiting(job);
      job.reject(noConnection());
    }
    await driver.end({ timeout: 0 });
  }

  const watched = watchQueries(driver, (query) => {
    const { handler } = query;
    let onQueryEnd: ((error: unknown) => void) | undefined;
    for (const repair of [repeatWithSameValues, takeHolesAway, refusePipelining]) repair(query);
    query.handler = () => {
      if (silence.refuses()) return query.reject(noConnection());
      onQueryEnd = onQuery?.();
      start(query);
      handler(query);
    };
    onEnd(query, (error) => end(query, error, onQueryEnd));
  });

  function begin(...args: unknown[]): Promise<unknown> {
    if (silence.refuses()) return Promise.reject(noConnection());
    const { job, result } = stopLostTransaction(driver, args);
    start(job);
    onEnd(result, (error) => end(job, error, () => hasLost ||= isConnectionError(error)));
    return result;
  }

  return {
    sql: new Proxy(watched, { get: (_, name) => name === "begin" ? begin : Reflect.get(watched, name) }),
    hasLost: () => hasLost,
    async endWhenUnused() {
      const timer = setTimeout(() => [...jobs.keys()].forEach(rejectWaiting), MAX_WAIT_REPLACED_S * 1000);
      if (jobs.size > 0) await new Promise<void>((resolve) => onUnused = resolve);
      clearTimeout(timer);
      await new Promise((resolve) => setTimeout(resolve)); // a query may be made that is not awaited yet
      await driver.end({ timeout: MAX_WAIT_REPLACED_S });
    },
  };
}

function rejectWaiting(job: Job): void {
  if (job.state !== null) return;
  job.cancelled = true;
  job.reject(noConnection());
}

/** Calls `fn` once, with the error of a query if it fails. A query's own `then` would start it. */
function onEnd(query: Promise<unknown>, fn: (error?: unknown) => void): void {
  void Promise.prototype.then.call(query, () => fn(), fn);
}

/** Returns a client that passes each of its queries, and each part of one, to `watch` before it starts. */
function watchQueries(sql: Sql, watch: (query: DriverQuery) => void): Sql {
  const watched = <Made>(made: Made): Made => {
    if (made instanceof Promise) watch(made as unknown as DriverQuery); // lists of values are made the same way
    return made;
  };
  const unsafe = (...args: Parameters<Sql["unsafe"]>) => watched(sql.unsafe(...args));
  return new Proxy(sql, {
    apply: (_, __, args: Parameters<Sql>) => watched(sql(...args) as unknown),
    get: (_, name) => name === "unsafe" ? unsafe : Reflect.get(sql, name),
  });
}

/** The driver writes the values of a repeated statement twice. https://github.com/porsager/postgres/issues/1197, merged */
function repeatWithSameValues(query: DriverQuery): void {
  let values: unknown[] | undefined;
  Object.defineProperty(query, "parameters", { get: () => values?.slice(), set: (set) => values = set });
}

/** After a query that failed half-way, rows come behind holes. https://github.com/porsager/postgres/issues/1181 */
function takeHolesAway(query: DriverQuery): void {
  const { resolve } = query;
  query.resolve = (rows) => {
    rows.splice(0, rows.findIndex((_, index) => index in rows));
    resolve(rows);
  };
}

/**
 * Sends one query at a time per connection, which `max_pipeline` cannot (https://github.com/porsager/postgres/pull/1211).
 * Behind a repeated statement, queries get its rows or none: not reported upstream. This has no cost: with pipelining,
 * accepting and dispatching ran at 0.8 to 1.3 times the rate, in 16 rounds in turns, the database here or 2 ms away.
 */
function refusePipelining({ options }: DriverQuery): void {
  options.onexecute = () => false;
}

/**
 * Sends nothing more of a transaction that lost its connection. The driver ends it in another one, or the process with it:
 * https://github.com/porsager/postgres/issues/1208, https://github.com/porsager/postgres/pull/1215
 */
function stopLostTransaction(driver: Sql, args: unknown[]): { job: Job; result: Promise<unknown> } {
  const work = args.at(-1) as (transaction: Sql) => Promise<unknown>;
  const failed = Promise.withResolvers<never>();
  let failure: unknown;
  const job: Job = { state: null, reject: (error) => failed.reject(failure ??= error) };

  async function guarded(transaction: Sql): Promise<unknown> {
    if (failure) throw failure; // rejected while it waited: the connection is there, so the driver may roll back
    job.state = transaction;
    const watched = watchQueries(transaction, (query) => {
      const { handler } = query;
      query.handler = () => failure ? query.reject(failure) : handler(query);
      onEnd(query, (error) => isConnectionError(error) && job.reject(error));
    });
    return await work(watched).finally(() => failure && new Promise(() => {})); // the driver would go on
  }

  const driven = (driver.begin as (...args: unknown[]) => Promise<unknown>)(...args.slice(0, -1), guarded);
  driven.catch(job.reject);
  return { job, result: Promise.race([driven, failed.promise]) };
}
