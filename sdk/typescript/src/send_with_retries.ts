import type { RequestLimits } from "./outbound_options.ts";
import { errorOfResponse, OutboundError } from "./outbound_error.ts";
import { pause } from "./pause.ts";
import { delayBefore, isWorthRetrying } from "./retry_rules.ts";

/** How to send one request. */
export interface SendPlan extends RequestLimits {
  fetch: (request: Request, init?: RequestInit) => Promise<Response>;
  repeatable: boolean;
  /** The caller reads the body as it comes; it is outside the time limit and not retried. */
  isStream: boolean;
  signal: AbortSignal | null | undefined;
}

/**
 * Sends a request until it succeeds, fails for good, or is out of attempts or time.
 *
 * @returns the response with its whole body; the last one, if none succeeded
 * @throws {OutboundError} `connection_failed` or `timed_out`, if the last attempt had no response
 */
export async function sendWithRetries(request: Request, plan: SendPlan): Promise<Response> {
  const end = performance.now() + plan.totalMs;
  for (let retry = 0;; retry++) {
    const { response, error } = await tryOnce(request.clone(), plan, end - performance.now());
    if (error === undefined) return response;
    const delayMs = delayBefore(retry, error.retryAfterS);
    const isOver = retry >= plan.retries || performance.now() + delayMs >= end;
    if (isOver || !isWorthRetrying(error, plan.repeatable)) {
      if (response) return response;
      throw error;
    }
    await pause(delayMs, plan.signal);
  }
}

type Outcome =
  | { response: Response; error?: undefined }
  | { response?: Response; error: OutboundError };

/** Does not rely on the signal alone: Deno loses it during a long response, and other implementations may ignore it. */
async function tryOnce(request: Request, plan: SendPlan, leftMs: number): Promise<Outcome> {
  const stop = new AbortController();
  const stopped = new Promise<never>((_, reject) => {
    stop.signal.addEventListener("abort", () => reject(stop.signal.reason));
  });
  const timeout = setTimeout(() => stop.abort(timedOut(plan.timeoutMs)), Math.min(plan.timeoutMs, leftMs));
  const stopToo = () => stop.abort(plan.signal!.reason);
  plan.signal?.addEventListener("abort", stopToo);
  try {
    plan.signal?.throwIfAborted();
    return await Promise.race([receive(request, plan, stop.signal), stopped]);
  } catch (cause) {
    plan.signal?.throwIfAborted();
    return { error: cause instanceof OutboundError ? cause : connectionFailed(cause) };
  } finally {
    clearTimeout(timeout);
    plan.signal?.removeEventListener("abort", stopToo);
  }
}

async function receive(request: Request, plan: SendPlan, signal: AbortSignal): Promise<Outcome> {
  // A stream goes on after this attempt; `any` leaves nothing at a signal that outlives many streams.
  const all = plan.isStream && plan.signal ? AbortSignal.any([signal, plan.signal]) : signal;
  const response = await plan.fetch(request, { signal: all });
  if (response.ok && plan.isStream) return { response };
  const whole = await readWhole(response);
  return response.ok ? { response: whole } : { response: whole, error: await readError(whole.clone()) };
}

/** Reads the body now, so that a connection lost in the middle of it is a failed attempt. */
async function readWhole(response: Response): Promise<Response> {
  const body = await response.arrayBuffer();
  const { status, statusText, headers } = response;
  return new Response(body.byteLength > 0 ? body : null, { status, statusText, headers });
}

async function readError(response: Response): Promise<OutboundError> {
  return errorOfResponse(response, await response.json().catch(() => undefined));
}

function timedOut(timeoutMs: number): OutboundError {
  const message = `No response within ${timeoutMs} ms`;
  return new OutboundError({ status: 0, code: "timed_out", message });
}

function connectionFailed(cause: unknown): OutboundError {
  const message = "The service could not be reached, or the connection was lost";
  return new OutboundError({ status: 0, code: "connection_failed", message, cause });
}
