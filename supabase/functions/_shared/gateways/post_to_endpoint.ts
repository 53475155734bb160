import { checkEndpointUrl } from "./http1/addresses.ts";
import type { Pieces } from "./http1/byte_reader.ts";
import { EndpointError } from "./http1/endpoint_error.ts";
import { exchange, type ExchangeOptions, type OpenResponse } from "./http1/exchange.ts";
import { readBody } from "./http1/response_body.ts";
import { startTimeLimit } from "./http1/time_limit.ts";

/** How an endpoint responded to a request. `body` is the first kilobyte of its response as text. */
export type EndpointResponse =
  | { kind: "responded"; status: number; body: string }
  | { kind: "failed"; reason: string };

const MAX_HEAD_BYTES = 8 * 1024;
const HEAD_LIMITS = { bytes: MAX_HEAD_BYTES, lineBytes: MAX_HEAD_BYTES, headers: MAX_HEAD_BYTES };
const MAX_BODY_LENGTH = 1024;
/** How long the body may take once the status has come. It is only shown to people. */
const BODY_MS = 1000;

/**
 * POSTs to a URL that a customer named, as `exchange` does it. Never throws for what the network or the endpoint does.
 */
export async function postToEndpoint(
  target: string,
  { headers, body }: { headers: Record<string, string>; body: string | Uint8Array },
  options: ExchangeOptions,
): Promise<EndpointResponse> {
  const url = checkEndpointUrl(target, options);
  if (typeof url === "string") return { kind: "failed", reason: `The endpoint's URL is refused: ${url}` };
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const request = { method: "POST", headers, body: bytes } as const;
  let response: OpenResponse | undefined;
  try {
    response = await exchange(url, request, { ...options, headLimits: HEAD_LIMITS });
    return { kind: "responded", status: response.head.status, body: await readText(response) };
  } catch (error) {
    return { kind: "failed", reason: reasonOf(error) };
  } finally {
    response?.close();
  }
}

async function readText({ reader, head }: OpenResponse): Promise<string> {
  const time = startTimeLimit(BODY_MS);
  try {
    const { pieces } = readBody(reader, head, Infinity);
    const bytes = await time.limit(firstBytes(pieces, MAX_BODY_LENGTH));
    // Postgres keeps no NUL in a text.
    return new TextDecoder().decode(bytes).replaceAll("\0", "\ufffd");
  } catch {
    return "";
  } finally {
    time.stop();
  }
}

/** Reads at most `limit` bytes; fewer when the body ends, or stops being HTTP, before. */
async function firstBytes(pieces: Pieces, limit: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(limit);
  let size = 0;
  try {
    for await (const piece of pieces) {
      bytes.set(piece.subarray(0, limit - size), size);
      size = Math.min(limit, size + piece.length);
      if (size === limit) break;
    }
  } catch (error) {
    if (!(error instanceof EndpointError)) throw error;
  }
  return bytes.subarray(0, size);
}

function reasonOf(error: unknown): string {
  return error instanceof EndpointError
    ? error.message
    : "The connection to the endpoint broke before it responded";
}
