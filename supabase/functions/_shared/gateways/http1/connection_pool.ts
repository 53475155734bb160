import type { Deadline } from "../../concurrency/deadline.ts";
import { ConnectError } from "./endpoint_error.ts";
import { type ConnectionOptions, HostConnections, outOfTime } from "./host_connections.ts";
import type { KeptConnection, ResponseLimits, WholeResponse } from "./kept_connection.ts";

/**
 * Keeps connections to hosts that we trust alive, for many small requests. It connects to whatever addresses the host
 * has: URLs that customers named go through `exchange`, which checks them.
 */
export class ConnectionPool {
  #hosts = new Map<string, HostConnections>();
  #options: ConnectionOptions;
  #isClosed = false;

  constructor(options: ConnectionOptions = {}) {
    this.#options = options;
  }

  /** Returns whether the runtime has sockets. */
  static isSupported(): boolean {
    return typeof Deno.connect === "function" && typeof Deno.startTls === "function";
  }

  /**
   * Sends one request once and reads its response. The deadline's end closes the connection.
   *
   * @param request the bytes of a request for the URL, as `formatRequest` returns them
   * @throws {ConnectError} when nothing of the request was written
   * @throws {Error} any other one when it may have arrived
   */
  async exchange(
    url: URL,
    request: Uint8Array,
    { deadline, limits, isOwn, isLate }: {
      deadline: Deadline;
      limits: ResponseLimits;
      /** Returns whether the request must not be written any more. */
      isLate?: () => boolean;
      /** Returns whether a body belongs to the request; the connection ends with one that does not. */
      isOwn?: (text: string) => boolean;
    },
  ): Promise<WholeResponse> {
    const host = this.#hostOf(url);
    const isTooLate = () => deadline.isOver() || isLate?.() === true;
    let connection: KeptConnection;
    do {
      if (isTooLate()) throw outOfTime(deadline);
      connection = await host.next(deadline);
      // It may have ended while it was handed over.
    } while (connection.isOver());
    try {
      // So may the deadline. From here to the write nothing waits.
      if (isTooLate()) throw outOfTime(deadline);
      deadline.onEnd = () => connection.close();
      return await connection.exchange(request, limits, isOwn);
    } finally {
      host.release(connection);
    }
  }

  /** Closes all free connections, and the others after their requests. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#hosts.values()].map((host) => host.close()));
  }

  #hostOf(url: URL): HostConnections {
    if (this.#isClosed) throw new ConnectError("stopped", "Stopped");
    const known = this.#hosts.get(url.origin);
    if (known) return known;
    const host = new HostConnections(url, this.#options);
    this.#hosts.set(url.origin, host);
    return host;
  }
}
