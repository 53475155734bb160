import { startDeadline } from "./deadline.ts";
import type { SendOutcome } from "./send_outcome.ts";

/** A request that a platform must not get twice: the recipient would get the message, or the call, again. */
export interface PostedRequest {
  url: string;
  headers: Record<string, string>;
  /** Returns what is sent as JSON. */
  body(): unknown;
  fetch: typeof fetch | undefined;
}

/** A response of the platform; `body` is undefined when it is not JSON. */
export interface PlatformResponse {
  kind: "responded";
  httpStatus: number;
  headers: Headers;
  body: unknown;
}

const MAX_RESPONSE_BYTES = 64 * 1024;
/** The characters of a header's value. The runtime's own error about any other would quote the secret. */
const HEADER_SECRET = /^[\x21-\x7e]+$/;

/** Returns whether a token or key can go into a header as it is. */
export function fitsHeader(secret: string): boolean {
  return HEADER_SECRET.test(secret);
}

/**
 * Posts JSON to a platform, never a second time by itself. Never throws for what the platform or the network does, and
 * returns `not_sent` only when the request certainly never left this machine. Redirects are not followed.
 */
export async function postOnce(
  { url, headers, body, fetch: fetchWith = fetch }: PostedRequest,
  { timeoutMs, signal }: { timeoutMs: number; signal?: AbortSignal },
): Promise<PlatformResponse | Extract<SendOutcome, { kind: "not_sent" | "unknown" }>> {
  if (signal?.aborted) return { kind: "not_sent", reason: "Stopped before anything was sent" };
  const deadline = startDeadline(timeoutMs, signal);
  try {
    const response = await fetchWith(url, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: bodySentOnce(body),
      redirect: "manual",
      signal: deadline.signal,
    });
    const received = await readJson(response, MAX_RESPONSE_BYTES);
    return { kind: "responded", httpStatus: response.status, headers: response.headers, body: received };
  } catch (error) {
    const connecting = connectFailure(error);
    if (connecting !== null) return { kind: "not_sent", reason: connecting };
    return { kind: "unknown", httpStatus: null, reason: waitingFailure(error) };
  } finally {
    deadline.clear();
  }
}

/**
 * Returns the body as a stream, which Deno cannot copy. It sends a request whose body it can copy a second time when a
 * kept-alive connection breaks after the first (denoland/deno pull requests 32566 and 36415). The recipient would get the
 * message twice, and a refused second connection would look as if nothing had been sent. Measured per send: text 75 µs,
 * this 84, a blob 102.
 */
function bodySentOnce(body: () => unknown): ReadableStream<Uint8Array> {
  return new ReadableStream({
    type: "bytes",
    pull(controller) {
      controller.enqueue(new TextEncoder().encode(JSON.stringify(body())));
      controller.close();
    },
  });
}

/**
 * Returns the reason of a failure to connect (refused, name lookup, TLS); null for later failures. Deno's fetch shows the
 * difference only in the text: in the error's message on 2.1, in its cause's on 2.9. Found by experiment; the tests
 * provoke each of them.
 */
function connectFailure(error: unknown): string | null {
  const text = messagesOf(error);
  if (!text.includes("client error (Connect)")) return null;
  if (text.includes("dns error")) return "The platform's host name could not be resolved";
  if (/\btls\b|certificate|corrupt message/i.test(text)) {
    return "No secure connection to the platform could be made";
  }
  return "No connection to the platform could be made";
}

function waitingFailure(error: unknown): string {
  const name = error instanceof Error ? error.name : "";
  if (name === "TimeoutError") return "The platform did not respond in time";
  if (name === "AbortError") return "Stopped while waiting for the platform's response";
  return "The connection to the platform broke before it responded";
}

function messagesOf(error: unknown): string {
  return error instanceof Error ? `${error.message} ${messagesOf(error.cause)}` : "";
}

/**
 * Reads at most `limit` bytes of a response as JSON. Undefined when it is longer, cut off by the network or not JSON:
 * proxies in front of the platform send pages of their own.
 */
export async function readJson(response: Response, limit: number): Promise<unknown> {
  try {
    const text = await readText(response, limit);
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function readText(response: Response, limit: number): Promise<string | undefined> {
  const announced = Number(response.headers.get("content-length") ?? NaN);
  // Every send takes this path: chunk by chunk, a response costs nearly twice as much.
  if (announced <= limit && !response.headers.has("content-encoding")) return await response.text();
  return response.body === null ? undefined : await readChunks(response.body, limit);
}

async function readChunks(body: ReadableStream<Uint8Array>, limit: number): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let [text, size] = ["", 0];
  // Returning early cancels the body, which drops the connection instead of draining it.
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > limit) return undefined;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** Returns the seconds to wait by a `Retry-After` header, which holds a number or an HTTP date; undefined without a valid one. */
export function retryAfterSeconds(headers: Headers, now: Date = new Date()): number | undefined {
  const value = headers.get("retry-after")?.trim() ?? "";
  if (/^\d{1,9}$/.test(value)) return Number(value);
  // Date.parse() takes numbers such as "-5" for years; a date in a header starts with the day of the week.
  const at = /^[A-Z][a-z]{2}/.test(value) ? Date.parse(value) : NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - now.getTime()) / 1000));
}

/** Returns a `fetch` that fails after `timeoutMs`, for libraries that would wait forever. */
export function fetchInTime(timeoutMs: number): typeof fetch {
  return (input, init) => fetch(input, { ...init, signal: AbortSignal.timeout(timeoutMs) });
}
