import { startDeadline } from "./deadline.ts";
import { readJson } from "./read_json.ts";
import type { SendOutcome } from "./send_outcome.ts";

/** A request a platform must not get twice: the recipient would be called or written to again. */
export interface PostedRequest {
  url: string;
  headers: Record<string, string>;
  /** Makes what is sent as JSON. */
  body(): unknown;
  fetch: typeof fetch | undefined;
}

/** What the platform answered; `body` is undefined when it is no JSON. */
export interface PlatformAnswer {
  kind: "answered";
  httpStatus: number;
  headers: Headers;
  body: unknown;
}

const LONGEST_ANSWER = 64 * 1024;
/** What a header can carry. The runtime's own error about anything else would quote the secret. */
const HEADER_SECRET = /^[\x21-\x7e]+$/;

/** Whether a token or key can go into a header as it is. */
export function fitsHeader(secret: string): boolean {
  return HEADER_SECRET.test(secret);
}

/**
 * Posts JSON to a platform, never a second time by itself. Never throws for what the platform or the network does, and
 * says `not_sent` only when the request surely never left this machine. Redirects are answers, not followed.
 */
export async function postOnce(
  { url, headers, body, fetch: fetchWith = fetch }: PostedRequest,
  { timeoutMs, signal }: { timeoutMs: number; signal?: AbortSignal },
): Promise<PlatformAnswer | Extract<SendOutcome, { kind: "not_sent" | "unknown" }>> {
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
    const answer = await readJson(response, LONGEST_ANSWER);
    return { kind: "answered", httpStatus: response.status, headers: response.headers, body: answer };
  } catch (error) {
    const connecting = connectFailure(error);
    if (connecting !== null) return { kind: "not_sent", reason: connecting };
    return { kind: "unknown", httpStatus: null, reason: waitingFailure(error) };
  } finally {
    deadline.clear();
  }
}

/**
 * A stream, because Deno sends a request whose body it can copy a second time when a kept-alive connection breaks after
 * the first (denoland/deno pull requests 32566 and 36415): the recipient would get the message twice, and a refused
 * second connection would look as if nothing had been sent. Measured per send: text 75 µs, this 84, a blob 102.
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
 * Deno's fetch tells a failure to connect (refused, name lookup, TLS) from later ones only by its text: in the error's
 * message on 2.1, in its cause's on 2.9. Seen by experiment; the tests run into each of them.
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
  if (name === "TimeoutError") return "The platform did not answer in time";
  if (name === "AbortError") return "Stopped while waiting for the platform's answer";
  return "The connection to the platform broke before it answered";
}

function messagesOf(error: unknown): string {
  return error instanceof Error ? `${error.message} ${messagesOf(error.cause)}` : "";
}
