import { hostOf } from "./addresses.ts";
import { EndpointError, TimeUpError } from "./endpoint_error.ts";
import type { TimeLimit } from "./time_limit.ts";

/**
 * Connects to the first address that accepts a connection; for https the certificate must be the URL's host's.
 *
 * @param options.caCerts certificates to trust besides the system's, in PEM
 * @throws {EndpointError}
 */
export async function openConnection(
  url: URL,
  addresses: string[],
  time: TimeLimit,
  { caCerts }: { caCerts?: string[] },
): Promise<Deno.Conn> {
  const secure = url.protocol === "https:";
  const port = Number(url.port) || (secure ? 443 : 80);
  const connection = await connectToOne(addresses, port, time);
  return secure ? await startTls(connection, hostOf(url), time, caCerts) : connection;
}

async function connectToOne(addresses: string[], port: number, time: TimeLimit): Promise<Deno.TcpConn> {
  let failure: unknown;
  for (const hostname of addresses) {
    const connecting = Deno.connect({ hostname, port });
    try {
      return await time.limit(connecting);
    } catch (error) {
      if (error instanceof TimeUpError) {
        // The connection may still be made, and nobody else would close it.
        connecting.then(closeQuietly, () => {});
        throw error;
      }
      failure = error;
    }
  }
  throw new EndpointError("No connection to the endpoint could be made", { cause: failure });
}

async function startTls(
  connection: Deno.TcpConn,
  hostname: string,
  time: TimeLimit,
  caCerts: string[] = [],
): Promise<Deno.TlsConn> {
  let tls: Deno.TlsConn | undefined;
  try {
    tls = await time.limit(Deno.startTls(connection, { hostname, caCerts }));
    await time.limit(tls.handshake());
    return tls;
  } catch (error) {
    closeQuietly(tls ?? connection);
    if (error instanceof TimeUpError) throw error;
    const detail = error instanceof Error ? error.message : "";
    throw new EndpointError(`No secure connection to the endpoint could be made: ${detail}`, {
      cause: error,
    });
  }
}

/** Closes a connection that may be closed already. */
export function closeQuietly(connection: Deno.Conn | undefined): void {
  try {
    connection?.close();
  } catch {
    // TLS took it over, or the other side was first.
  }
}
