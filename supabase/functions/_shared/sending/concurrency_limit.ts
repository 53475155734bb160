/** Limits how many messages are in flight at once; each takes one slot. */
export interface ConcurrencyLimit {
  /** Returns the number of free slots; 0 until enough have finished to make another claim worth its round trip. */
  free(): number;
  /** Takes slots for `count` messages: as many as a claim of `wanted` returned. */
  started(count: number, wanted: number): void;
  /** Frees one slot. */
  finished(): void;
  inFlight(): number;
  /** Resolves when `free` is above 0, `ms` milliseconds have passed, or `signal` aborts. Returns whether slots are free. */
  untilFree(ms: number, signal: AbortSignal): Promise<boolean>;
  /** Resolves when nothing is in flight. */
  idle(): Promise<void>;
}

const MIN_IN_FLIGHT = 32;
const MAX_IN_FLIGHT = 512;

/**
 * Makes a limit that adapts. It doubles while there is more to send than may be in flight (a slow platform needs more
 * slots for the same rate), up to `max`, and halves when there is not.
 */
export function createConcurrencyLimit({ max = MAX_IN_FLIGHT }: { max?: number } = {}): ConcurrencyLimit {
  const min = Math.min(MIN_IN_FLIGHT, max);
  let limit = min;
  let inFlight = 0;
  let waiting: (() => void)[] = [];

  const free = () => (limit - inFlight >= limit / 4 ? limit - inFlight : 0);
  const wakeAll = () => {
    const woken = waiting;
    waiting = [];
    woken.forEach((wake) => wake());
  };

  async function until(condition: () => boolean, signal?: AbortSignal): Promise<void> {
    signal?.addEventListener("abort", wakeAll);
    while (!condition() && !signal?.aborted) await new Promise<void>((resolve) => waiting.push(resolve));
    signal?.removeEventListener("abort", wakeAll);
  }

  return {
    free,
    started(count, wanted) {
      inFlight += count;
      // An empty claim may also mean that another dispatcher was claiming for the same senders.
      if (count === 0) return;
      if (count === wanted) limit = Math.min(max, limit * 2);
      else if (inFlight < limit / 4) limit = Math.max(min, limit / 2);
    },
    finished() {
      inFlight--;
      wakeAll();
    },
    inFlight: () => inFlight,
    async untilFree(ms, signal) {
      let late = false;
      const timer = setTimeout(() => {
        late = true;
        wakeAll();
      }, ms);
      await until(() => late || free() > 0, signal);
      clearTimeout(timer);
      return free() > 0;
    },
    idle: () => until(() => inFlight === 0),
  };
}
