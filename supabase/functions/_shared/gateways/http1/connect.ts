import { hostOf } from "./addresses.ts";
import { ConnectError, TimeUpError } from "./endpoint_error.ts";
import type { TimeLimit } from "./time_limit.ts";

/** Node waits as long. */
const NEXT_ADDRESS_MS = 250;

/**
 * Connects to the first address that accepts a connection; for https the certificate must be the URL's host's.
 *
 * @param options.caCerts certificates to trust besides the system's, in PEM
 * @throws {ConnectError | TimeUpError}
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
  sendAtOnce(connection);
  return secure ? await startTls(connection, hostOf(url), time, caCerts) : connection;
}

/**
 * Tries the addresses in their order, the next as soon as one fails, or after a quarter of a second: one that swallows
 * everything, as IPv6 does in some networks, must not use up the time.
 */
async function connectToOne(addresses: string[], port: number, time: TimeLimit): Promise<Deno.TcpConn> {
  const { promise: connected, resolve, reject } = Promise.withResolvers<Deno.TcpConn>();
  let [next, failed, isOver] = [0, 0, false];
  let timer: ReturnType<typeof setTimeout> | undefined;

  function tryNext(): void {
    clearTimeout(timer);
    if (isOver || next === addresses.length) return;
    timer = setTimeout(tryNext, NEXT_ADDRESS_MS);
    Deno.connect({ hostname: addresses[next++]!, port }).then((connection) => {
      if (isOver) return closeQuietly(connection);
      isOver = true;
      resolve(connection);
    }, (cause) => {
      if (++failed < addresses.length) return tryNext();
      reject(new ConnectError("connection", "No connection to the endpoint could be made", { cause }));
    });
  }

  tryNext();
  try {
    return await time.limit(connected);
  } catch (error) {
    isOver = true;
    // It may have been made in the same moment, and nothing else would close it.
    connected.then(closeQuietly, () => {});
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** Otherwise the end of a request of more than one packet waits until the receiver has acknowledged the first. */
function sendAtOnce(connection: Deno.TcpConn): void {
  try {
    connection.setNoDelay();
  } catch {
    // Some systems refuse this when the other side has closed already. The first read will show that.
  }
}

async function startTls(
  connection: Deno.TcpConn,
  hostname: string,
  time: TimeLimit,
  caCerts: string[] = [],
): Promise<Deno.TlsConn> {
  const starting = Deno.startTls(connection, { hostname, caCerts, alpnProtocols: ["http/1.1"] });
  try {
    const tls = await time.limit(starting);
    await time.limit(tls.handshake());
    return tls;
  } catch (error) {
    // TLS takes the connection over, perhaps only after the time is up.
    closeQuietly(connection);
    starting.then(closeQuietly, () => {});
    if (error instanceof TimeUpError) throw error;
    throw new ConnectError("tls", describeTlsFault(error), { cause: error });
  }
}

/** An endpoint without TLS responds with bytes that are no record of it. */
function describeTlsFault(error: unknown): string {
  const detail = error instanceof Error ? error.message : "";
  if (/corrupt message|InvalidContentType/i.test(detail)) {
    return "The endpoint does not speak TLS on this port";
  }
  return `No secure connection to the endpoint could be made: ${detail}`;
}

/** Closes a connection that may be closed already. */
export function closeQuietly(connection: Deno.Conn | undefined): void {
  try {
    connection?.close();
  } catch {
    // TLS took it over, or the other side was first.
  }
}
