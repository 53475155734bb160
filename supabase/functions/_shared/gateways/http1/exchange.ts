import { findAddresses, hostOf, type Resolve } from "./addresses.ts";
import { ByteReader, type HeadLimits } from "./byte_reader.ts";
import { closeQuietly, openConnection } from "./connect.ts";
import { formatRequest, type HttpRequest, writeRequest } from "./request.ts";
import { readHead, type ResponseHead } from "./response_head.ts";
import { startTimeLimit } from "./time_limit.ts";

/** The bounds of one exchange: how long it may take, and where it may go. */
export interface ExchangeOptions {
  /** For name, connection and the head of the response together. */
  timeoutMs: number;
  /** Also allows this machine, private networks, and no TLS. */
  allowPrivate: boolean;
  /** Replaces the system's name resolution. */
  resolve?: Resolve;
  /** Certificates to trust besides the system's, in PEM. */
  caCerts?: string[];
}

/** The head of a response on a connection whose body is still to be read. */
export interface OpenResponse {
  head: ResponseHead;
  reader: ByteReader;
  /** Must be called when the body is read or not wanted. */
  close(): void;
}

/**
 * Sends one HTTP/1.1 request to a URL that a customer named and reads the head of the response. The name is resolved
 * once, its addresses are checked, and the connection goes to a checked one. So a name whose address changes between two
 * look-ups cannot lead into our own network. Redirects are not followed, and the connection serves no other request.
 *
 * The exchange is our own because no other client accepts the address to connect to on every runtime: `fetch` resolves
 * by itself, and `node:https` takes a `lookup` only on Deno newer than the hosted 2.1.
 *
 * @param url one that `checkEndpointUrl` returned
 * @throws {EndpointError} when the address is refused, no head comes in time, or it is not HTTP
 */
export async function exchange(
  url: URL,
  { headers, ...request }: HttpRequest,
  options: ExchangeOptions & { headLimits: HeadLimits },
): Promise<OpenResponse> {
  const time = startTimeLimit(options.timeoutMs);
  let connection: Deno.Conn | undefined;
  try {
    const addresses = await time.limit(findAddresses(hostOf(url), options));
    connection = await openConnection(url, addresses, time, options);
    const bytes = formatRequest(url, { ...request, headers: { ...headers, connection: "close" } });
    // A receiver may respond, and close, before it has read all of the request: the response counts, not the write.
    writeRequest(connection, bytes).catch(() => {});
    const reader = new ByteReader(connection);
    const head = await time.limit(readHead(reader, options.headLimits));
    return { head, reader, close: () => closeQuietly(connection) };
  } catch (error) {
    closeQuietly(connection);
    throw error;
  } finally {
    time.stop();
  }
}
