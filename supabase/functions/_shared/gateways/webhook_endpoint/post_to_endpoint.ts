import { checkEndpointUrl, hostOf } from "./check_endpoint_url.ts";
import { EndpointError } from "./endpoint_error.ts";
import { findAddresses, type Resolve } from "./find_addresses.ts";
import { exchange, formatPost, type HttpAnswer } from "./http_exchange.ts";
import { closeQuietly, openConnection } from "./open_connection.ts";
import { startTimeLimit } from "./time_limit.ts";

/** What became of a request. `body` is the first kilobyte of the answer as text. */
export type EndpointAnswer =
  | { kind: "answered"; status: number; body: string }
  | { kind: "failed"; reason: string };

export interface PostOptions {
  /** For name, connection and answer together. */
  timeoutMs: number;
  /** Also to this machine, to private networks, and without TLS. */
  allowPrivate: boolean;
  /** Replaces the system's name resolution. */
  resolve?: Resolve;
  /** Certificates to trust besides the system's, in PEM. */
  caCerts?: string[];
}

const LONGEST_BODY = 1024;
/** Once the status has come, how long the answer's body may take; it is kept for people to read, nothing more. */
const BODY_MS = 1000;

/**
 * POSTs to a URL that a customer named. The name is resolved once, its addresses are checked, and the connection goes
 * to a checked one, so that a name whose address changes between two look-ups cannot lead into our own network.
 * Redirects are not followed. Never throws for what the network or the endpoint does.
 *
 * The exchange is our own because nothing else can be told which address to connect to on every runtime: `fetch`
 * resolves by itself, and `node:https` takes a `lookup` only on Deno newer than the hosted 2.1.
 */
export async function postToEndpoint(
  target: string,
  { headers, body }: { headers: Record<string, string>; body: string },
  options: PostOptions,
): Promise<EndpointAnswer> {
  const url = checkEndpointUrl(target, options);
  if (typeof url === "string") return { kind: "failed", reason: `The endpoint's URL is refused: ${url}` };
  const time = startTimeLimit(options.timeoutMs);
  let connection: Deno.Conn | undefined;
  try {
    const addresses = await time.limit(findAddresses(hostOf(url), options));
    connection = await openConnection(url, addresses, time, options);
    const request = formatPost(url, headers, new TextEncoder().encode(body));
    const answer = await time.limit(exchange(connection, request));
    return { kind: "answered", status: answer.status, body: await readText(answer) };
  } catch (error) {
    return { kind: "failed", reason: reasonOf(error) };
  } finally {
    time.stop();
    closeQuietly(connection);
  }
}

async function readText({ readBody }: HttpAnswer): Promise<string> {
  const time = startTimeLimit(BODY_MS);
  try {
    const bytes = await time.limit(readBody(LONGEST_BODY));
    // Postgres keeps no NUL in a text.
    return new TextDecoder().decode(bytes).replaceAll("\0", "\ufffd");
  } catch {
    return "";
  } finally {
    time.stop();
  }
}

function reasonOf(error: unknown): string {
  return error instanceof EndpointError
    ? error.message
    : "The connection to the endpoint broke before it answered";
}
