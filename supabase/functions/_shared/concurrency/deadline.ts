/** Ends one request after a time, or when the caller stops. `clear()` must be called when the request is over. */
export interface Deadline {
  /** Aborted at the end; shared with other requests. */
  signal: AbortSignal;
  /** Called once at the end. Set it rather than listen to the signal: a listener for each request costs 10 µs. */
  onEnd: (() => void) | undefined;
  /**
   * Whether the end has come, by the later of the wall clock and the monotonic clock. The timer may fire later: the
   * process may have been suspended, and timers do not count that time.
   */
  isOver(): boolean;
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
  const slot = createSlot(timeoutMs);
  const abort = () => end(slot, new DOMException("Stopped by the caller", "AbortError"));
  stop.addEventListener("abort", abort, { once: true });
  const deadline = join(slot, () => {
    clearTimeout(slot.timer);
    stop.removeEventListener("abort", abort);
  });
  if (stop.aborted) abort();
  return deadline;
}

/** One timer and one signal for requests that start at nearly the same time: one for each would cost 15 µs of 90. */
interface Slot {
  controller: AbortController;
  timer: ReturnType<typeof setTimeout>;
  /** Milliseconds, as `performance.now()`. */
  endsAt: number;
  /** Milliseconds, as `Date.now()`. */
  endsAtTime: number;
  requests: Set<Deadline>;
}

/** The open slot for each length of time. */
const slots = new Map<number, Slot>();
/** No request ends early, and none later than by this share of its time. */
const MAX_LATENESS = 0.05;

function joinSlot(timeoutMs: number): Deadline {
  const open = slots.get(timeoutMs);
  const slot = open && performance.now() < open.endsAt - timeoutMs ? open : openSlot(timeoutMs);
  return join(slot, () => {
    if (slot.requests.size > 0) return;
    clearTimeout(slot.timer);
    if (slots.get(timeoutMs) === slot) slots.delete(timeoutMs);
  });
}

function openSlot(timeoutMs: number): Slot {
  const slot = createSlot(timeoutMs * (1 + MAX_LATENESS));
  slots.set(timeoutMs, slot);
  return slot;
}

function createSlot(ms: number): Slot {
  const slot: Slot = {
    controller: new AbortController(),
    timer: setTimeout(() => end(slot, new DOMException("No response in time", "TimeoutError")), ms),
    endsAt: performance.now() + ms,
    endsAtTime: Date.now() + ms,
    requests: new Set(),
  };
  return slot;
}

function join(slot: Slot, leave: () => void): Deadline {
  const { signal } = slot.controller;
  const deadline: Deadline = {
    signal,
    onEnd: undefined,
    isOver: () => signal.aborted || performance.now() > slot.endsAt || Date.now() > slot.endsAtTime,
    clear() {
      slot.requests.delete(deadline);
      leave();
    },
  };
  slot.requests.add(deadline);
  return deadline;
}

function end(slot: Slot, reason: DOMException): void {
  slot.controller.abort(reason);
  for (const { onEnd } of slot.requests) onEnd?.();
}
