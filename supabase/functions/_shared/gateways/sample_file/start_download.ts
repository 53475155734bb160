import { checkEndpointUrl, hostOf } from "../webhook_endpoint/check_endpoint_url.ts";
import { EndpointError } from "../webhook_endpoint/endpoint_error.ts";
import { findAddresses, type Resolve } from "../webhook_endpoint/find_addresses.ts";
import { closeQuietly, openConnection } from "../webhook_endpoint/open_connection.ts";
import { startTimeLimit } from "../webhook_endpoint/time_limit.ts";
import { type FileAnswer, readAnswer } from "./read_answer.ts";

/** How long a download may take, and from where. */
export interface DownloadOptions {
  /** For name, connection and the head of the answer together. */
  timeoutMs: number;
  /** Also from this machine, from private networks, and without TLS. */
  allowPrivate: boolean;
  /** Replaces the system's name resolution. */
  resolve?: Resolve;
  /** Certificates to trust besides the system's, in PEM. */
  caCerts?: string[];
}

/** A response with its connection, which the caller closes. */
export interface Download extends FileAnswer {
  close(): void;
}

/**
 * Asks for a URL that a customer named, as `postToEndpoint` posts to one: the name is resolved once, the connection goes
 * to an address that was checked, and redirects are not followed.
 *
 * @param maxBytes of the body
 * @throws {EndpointError} when the URL is refused, no response comes in time, or it is not HTTP
 */
export async function startDownload(
  target: string,
  maxBytes: number,
  options: DownloadOptions,
): Promise<Download> {
  const url = checkEndpointUrl(target, options);
  if (typeof url === "string") throw new EndpointError(url);
  const time = startTimeLimit(options.timeoutMs);
  let connection: Deno.Conn | undefined;
  try {
    const addresses = await time.limit(findAddresses(hostOf(url), options));
    connection = await openConnection(url, addresses, time, options);
    await time.limit(writeAll(connection, formatGet(url)));
    const answer = await time.limit(readAnswer(connection, maxBytes));
    return { ...answer, close: () => closeQuietly(connection) };
  } catch (error) {
    closeQuietly(connection);
    throw error;
  } finally {
    time.stop();
  }
}

function formatGet(url: URL): Uint8Array {
  return new TextEncoder().encode([
    `GET ${url.pathname}${url.search} HTTP/1.1`,
    `host: ${url.host}`,
    "user-agent: outbound",
    "accept: */*",
    "accept-encoding: identity",
    "connection: close",
    "",
    "",
  ].join("\r\n"));
}

async function writeAll(connection: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let rest = bytes; rest.length > 0;) rest = rest.subarray(await connection.write(rest));
}
