/** Responds to one request; `info` holds where it came from. */
export type HttpHandler = (
  request: Request,
  info: { remoteAddr: Deno.Addr },
) => Response | Promise<Response>;

export interface HttpServer {
  port: number;
  /** Takes no new requests and waits for the responses to those under way. */
  stop(): Promise<void>;
}

/**
 * Connections that may wait to be taken, where the system allows as many. It drops the first packet of one too many, which
 * the caller repeats after a second.
 */
const MAX_WAITING_CONNECTIONS = 4096;

/**
 * Serves HTTP until it is stopped. Time limits for connections are the proxy's (docs/operations.md): `Deno.serve` has
 * none, and `node:http`, which has them, takes five times the CPU per request.
 *
 * @throws Deno.errors.AddrInUse when the port is taken
 */
export async function serveHttp(
  handler: HttpHandler,
  { hostname, port }: { hostname: string; port: number },
): Promise<HttpServer> {
  const listening = Promise.withResolvers<number>();
  const server = Deno.serve({
    hostname,
    port,
    tcpBacklog: MAX_WAITING_CONNECTIONS,
    onListen: ({ port }) => listening.resolve(port),
  }, handler);
  return { port: await listening.promise, stop: () => server.shutdown() };
}
