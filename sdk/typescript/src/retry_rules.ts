import { REPEATABLE_POSTS, SHOWN_ONCE } from "./generated/operation_sets.gen.ts";
import type { OutboundError } from "./outbound_error.ts";

/** Methods that do the same when they are repeated. */
const REPEATABLE_METHODS = new Set(["GET", "HEAD", "PUT", "DELETE", "OPTIONS"]);

const BASE_DELAY_MS = 500;
const MAX_DELAY_MS = 20_000;

/**
 * Whether a request does the same when it arrives twice.
 *
 * @param path as in the API document, with `{campaign_id}` and the like
 */
export function isRepeatable({ method, headers }: Request, path: string, body: unknown): boolean {
  if (method === "PUT" && SHOWN_ONCE.has(path)) return false;
  return REPEATABLE_METHODS.has(method) || headers.has("Idempotency-Key") || REPEATABLE_POSTS.has(path) ||
    hasMessageId(body);
}

/** Messages of a conversation name themselves, so that a second one is not stored. */
function hasMessageId(body: unknown): boolean {
  return typeof body === "object" && body !== null && "client_message_id" in body &&
    typeof body.client_message_id === "string";
}

/**
 * Whether a failed attempt is worth another one. A request that is not repeatable is sent again only where the service
 * certainly did nothing: its body did not arrive (408), or it was over a limit (429). A quota of the day is the caller's to
 * decide about: nothing waits for hours in silence.
 */
export function isWorthRetrying({ status, code }: OutboundError, repeatable: boolean): boolean {
  if (status === 408 || status === 429) return code !== "quota_exceeded";
  if (status === 409) return code === "idempotency_key_in_use";
  return repeatable && (status >= 500 || code === "connection_failed" || code === "timed_out");
}

/**
 * The delay before a retry, in milliseconds: what the service asks for, or else a random part of a limit that doubles
 * (full jitter), so that clients do not come back all at once.
 */
export function delayBefore(retry: number, retryAfterS: number | undefined, random = Math.random): number {
  if (retryAfterS !== undefined) return retryAfterS * 1000;
  return random() * Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** retry);
}
