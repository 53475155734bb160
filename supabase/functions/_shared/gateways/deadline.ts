/** Aborts one request after a time, or when the caller stops. `clear()` must be called when the request is over. */
export interface Deadline {
  signal: AbortSignal;
  clear(): void;
}

/**
 * Starts a deadline. Its signal's reason is a `TimeoutError` or an `AbortError`. Unlike `AbortSignal.timeout()` and
 * `AbortSignal.any()` it leaves no timer and no listener behind, of which a dispatcher would gather thousands.
 */
export function startDeadline(timeoutMs: number, stop?: AbortSignal): Deadline {
  const controller = new AbortController();
  const timeOut = () => controller.abort(new DOMException("No answer in time", "TimeoutError"));
  const abort = () => controller.abort(new DOMException("Stopped by the caller", "AbortError"));
  const timer = setTimeout(timeOut, timeoutMs);
  stop?.addEventListener("abort", abort, { once: true });
  if (stop?.aborted) abort();
  return {
    signal: controller.signal,
    clear() {
      clearTimeout(timer);
      stop?.removeEventListener("abort", abort);
    },
  };
}
