import { setImmediate } from "node:timers";
import type { Deadline } from "../../concurrency/deadline.ts";
import { findAddresses, hostOf, type Resolve } from "./addresses.ts";
import { openConnection } from "./connect.ts";
import { ConnectError } from "./endpoint_error.ts";
import { KeptConnection } from "./kept_connection.ts";
import { startTimeLimit } from "./time_limit.ts";

/** Node closes a connection that is idle for 5 s, others later; what is closed here first cannot be closed under a request. */
const MAX_IDLE_MS = 3000;
/** Idle connections are closed this share of the time late at most: one timer is for all of them. */
const MAX_LATENESS = 1 / 3;
/** For name, connection and TLS. */
const CONNECT_MS = 10_000;
/** Half a second of processor time for TLS. Meanwhile, connections that come free serve those who wait. */
const MAX_OPENING = 64;

/** Settings for connections to one host or several. */
export interface ConnectionOptions {
  /** How long a connection may be idle. @default 3000 */
  maxIdleMs?: number;
  /** Certificates to trust besides the system's, in PEM. */
  caCerts?: string[];
  /** Replaces the system's name resolution. */
  resolve?: Resolve;
}

interface IdleConnection {
  connection: KeptConnection;
  /** Milliseconds, as `performance.now()`. */
  since: number;
}

/** The connections to one host: as many as there are requests under way at once, and those idle for a short time. */
export class HostConnections {
  #url: URL;
  #options: ConnectionOptions;
  #maxIdleMs: number;
  /** The one that was used last is taken first, so that the others come to their end. */
  #idle: IdleConnection[] = [];
  #waiting = new Set<PromiseWithResolvers<KeptConnection>>();
  #opening = new Set<Promise<void>>();
  /**
   * Free, but not handed over before the event loop has turned once: only then does it show that the server has closed one,
   * be it right after its response, or while the process was busy.
   */
  #settling: { connection: KeptConnection; isNew: boolean }[] = [];
  #addresses: Promise<string[]> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  /** @param url of any path at the host */
  constructor(url: URL, options: ConnectionOptions) {
    this.#url = url;
    this.#options = options;
    this.#maxIdleMs = options.maxIdleMs ?? MAX_IDLE_MS;
  }

  /**
   * Returns an idle connection, or the next one that comes free or is made, whichever is first.
   *
   * @throws {ConnectError} when one could not be made, or the deadline ended before
   */
  next(deadline: Deadline): Promise<KeptConnection> {
    const waiter = Promise.withResolvers<KeptConnection>();
    this.#waiting.add(waiter);
    deadline.onEnd = () => {
      this.#waiting.delete(waiter);
      waiter.reject(outOfTime(deadline));
    };
    this.#findMissing();
    return waiter.promise;
  }

  /** Gives a connection back after its request. */
  release(connection: KeptConnection): void {
    if (connection.isOver()) return this.#findMissing();
    this.#watch(connection);
    this.#settle(connection);
  }

  /** Closes what is free. Those who wait get a ConnectError. Resolves when no connection is being opened any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#idle.splice(0).forEach(({ connection }) => connection.close());
    this.#waiting.forEach(({ reject }) => reject(new ConnectError("stopped", "Stopped")));
    this.#waiting.clear();
    await Promise.all(this.#opening);
    if (this.#settling.length > 0) await new Promise((resolve) => setImmediate(resolve));
  }

  /** Takes idle connections, and opens others, until there is one for each request that waits. */
  #findMissing(): void {
    const missing = () => this.#waiting.size - this.#opening.size - this.#settling.length;
    for (let idle; missing() > 0 && (idle = this.#takeIdle());) this.#settle(idle);
    while (missing() > 0 && this.#opening.size < MAX_OPENING) {
      const opening = this.#open().finally(() => {
        this.#opening.delete(opening);
        this.#findMissing();
      });
      this.#opening.add(opening);
    }
  }

  #takeIdle(): KeptConnection | undefined {
    for (let idle; (idle = this.#idle.pop());) {
      // The process may have been suspended, and the timer comes later.
      const age = performance.now() - idle.since;
      if (age <= this.#maxIdleMs * (1 + MAX_LATENESS)) return idle.connection;
      idle.connection.close();
    }
    return undefined;
  }

  async #open(): Promise<void> {
    const time = startTimeLimit(CONNECT_MS);
    try {
      const addresses = await time.limit(this.#findAddresses());
      const connection = new KeptConnection(
        await openConnection(this.#url, addresses, time, this.#options),
      );
      this.#watch(connection);
      this.#settle(connection, { isNew: true });
    } catch (error) {
      this.#failFirst(error);
    } finally {
      time.stop();
    }
  }

  /** Connections that are opened at once need one look-up. */
  #findAddresses(): Promise<string[]> {
    return this.#addresses ??= findAddresses(hostOf(this.#url), { ...this.#options, allowPrivate: true })
      .finally(() => this.#addresses = undefined);
  }

  /** One attempt failed, so one request does; the others have attempts of their own. */
  #failFirst(cause: unknown): void {
    const failure = cause instanceof ConnectError
      ? cause
      : new ConnectError("connection", "No connection could be made in time", { cause });
    this.#nextWaiter()?.reject(failure);
  }

  #nextWaiter(): PromiseWithResolvers<KeptConnection> | undefined {
    const [first] = this.#waiting;
    if (first) this.#waiting.delete(first);
    return first;
  }

  #watch(connection: KeptConnection): void {
    connection.watch(() => this.#idle = this.#idle.filter((idle) => idle.connection !== connection));
  }

  #settle(connection: KeptConnection, { isNew } = { isNew: false }): void {
    this.#settling.push({ connection, isNew });
    if (this.#settling.length === 1) setImmediate(() => this.#assignSettled());
  }

  #assignSettled(): void {
    for (const { connection, isNew } of this.#settling.splice(0)) {
      if (this.#isClosed) connection.close();
      else if (!connection.isOver()) this.#assign(connection);
      else if (isNew) this.#failFirst(new ConnectError("connection", "The connection was closed at once"));
    }
    this.#findMissing();
  }

  #assign(connection: KeptConnection): void {
    const waiter = this.#nextWaiter();
    if (waiter) return waiter.resolve(connection);
    this.#idle.push({ connection, since: performance.now() });
    this.#timer ??= this.#startTimer();
  }

  #startTimer(): ReturnType<typeof setTimeout> {
    return setTimeout(() => this.#closeOld(), this.#maxIdleMs * MAX_LATENESS);
  }

  #closeOld(): void {
    const oldest = performance.now() - this.#maxIdleMs;
    while (this.#idle[0] && this.#idle[0].since < oldest) this.#idle.shift()!.connection.close();
    this.#timer = this.#idle.length > 0 ? this.#startTimer() : undefined;
  }
}

/** Returns the error for a deadline that ended before there was a connection. */
export function outOfTime({ signal }: Deadline): ConnectError {
  return signal.reason?.name === "AbortError"
    ? new ConnectError("stopped", "Stopped before anything was sent")
    : new ConnectError("connection", "There was no connection in time");
}
