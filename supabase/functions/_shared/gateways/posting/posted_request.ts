import type { ReadableHeaders } from "../http_client.ts";
import type { SendOutcome } from "../send_outcome.ts";

/** A request that a platform must not get twice: the recipient would get the message, or the call, again. */
export interface PostedRequest {
  url: string;
  headers: Record<string, string>;
  /** Returns what is sent as JSON. */
  body(): unknown;
  /**
   * Receives the body of the response, once. Returns whether it belongs to this request; any does where this is left
   * out.
   */
  owns?(received: unknown): boolean;
}

/** How long a request may take, and when it must not begin. */
export interface PostOptions {
  timeoutMs: number;
  signal?: AbortSignal;
  /**
   * Returns whether the request may not be sent any more, because another worker may hold its lease. Asked the moment before
   * it is written: it may have waited for a connection, or the process may have been suspended.
   */
  isLate?: () => boolean;
}

/** A response of the platform; `body` is undefined when it is not JSON. */
export interface PlatformResponse {
  kind: "responded";
  httpStatus: number;
  headers: ReadableHeaders;
  body: unknown;
}

/** The outcome of a posted request. */
export type PostOutcome = PlatformResponse | Extract<SendOutcome, { kind: "not_sent" | "unknown" }>;

/** The most of a response's body that is read. */
export const MAX_RESPONSE_BYTES = 64 * 1024;

/** Why nothing was sent, by the step at which it ended. */
export const NOT_SENT = {
  name: "The platform's host name could not be resolved",
  connection: "No connection to the platform could be made",
  tls: "No secure connection to the platform could be made",
  stopped: "Stopped before anything was sent",
} as const;

/** A response that belongs to another request leaves the outcome unknown: of this one, nothing has come. */
export function foreignResponse(httpStatus: number): PostOutcome {
  return { kind: "unknown", httpStatus, reason: "The platform's response belongs to another request" };
}

/**
 * Returns the outcome of a request that may have arrived.
 *
 * @param cause the error, or the reason of the signal that ended the request
 */
export function unknownOutcome(cause: unknown): PostOutcome {
  return { kind: "unknown", httpStatus: null, reason: waitingFailure(cause) };
}

function waitingFailure(cause: unknown): string {
  const name = cause instanceof Error ? cause.name : "";
  if (name === "TimeoutError") return "The platform did not respond in time";
  if (name === "AbortError") return "Stopped while waiting for the platform's response";
  return "The connection to the platform broke before it responded";
}
