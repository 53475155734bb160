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
  return stop === undefined ? joinSlot(timeoutMs) : startOwn(timeoutMs, stop);
}

function startOwn(timeoutMs: number, stop: AbortSignal): Deadline {
  const controller = new AbortController();
  const abort = () => controller.abort(new DOMException("Stopped by the caller", "AbortError"));
  const timer = setTimeout(() => timeOut(controller), timeoutMs);
  stop.addEventListener("abort", abort, { once: true });
  if (stop.aborted) abort();
  return {
    signal: controller.signal,
    clear() {
      clearTimeout(timer);
      stop.removeEventListener("abort", abort);
    },
  };
}

/** One timer and one signal for requests that start at nearly the same time: one for each would cost 15 µs of 90. */
interface Slot {
  controller: AbortController;
  timer: ReturnType<typeof setTimeout>;
  /** No request joins after this. Milliseconds, as `performance.now()`. */
  openUntil: number;
  users: number;
}

/** The open slot for each length of time. */
const slots = new Map<number, Slot>();
/** No request ends early, and none later than by this share of its time. */
const MAX_LATENESS = 0.05;

function joinSlot(timeoutMs: number): Deadline {
  const open = slots.get(timeoutMs);
  const slot = open && performance.now() < open.openUntil ? open : openSlot(timeoutMs);
  slot.users++;
  return {
    signal: slot.controller.signal,
    clear() {
      if (--slot.users > 0) return;
      clearTimeout(slot.timer);
      if (slots.get(timeoutMs) === slot) slots.delete(timeoutMs);
    },
  };
}

function openSlot(timeoutMs: number): Slot {
  const controller = new AbortController();
  const width = timeoutMs * MAX_LATENESS;
  const slot = {
    controller,
    timer: setTimeout(() => timeOut(controller), timeoutMs + width),
    openUntil: performance.now() + width,
    users: 0,
  };
  slots.set(timeoutMs, slot);
  return slot;
}

function timeOut(controller: AbortController): void {
  controller.abort(new DOMException("No response in time", "TimeoutError"));
}
