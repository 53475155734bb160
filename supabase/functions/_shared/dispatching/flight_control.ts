export interface FlightControl {
  /** How many more may be sent now; 0 until enough have landed to make another claim worth its round trip. */
  free(): number;
  /** `count` of the `asked` were there to be claimed, and are on their way. */
  tookOff(count: number, asked: number): void;
  landed(): void;
  inFlight(): number;
  /** Resolves when `free` is above 0, `ms` milliseconds have passed, or `signal` aborts. Answers whether some are free. */
  untilFree(ms: number, signal: AbortSignal): Promise<boolean>;
  allLanded(): Promise<void>;
}

const FEWEST = 32;
const MOST = 512;

/**
 * Decides how many messages are in flight at once. The number doubles while there is more to send than may be in flight
 * (a slow platform needs more of them for the same rate), up to `most`, and halves when there is not.
 */
export function createFlightControl({ most = MOST }: { most?: number } = {}): FlightControl {
  const fewest = Math.min(FEWEST, most);
  let limit = fewest;
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
    tookOff(count, asked) {
      inFlight += count;
      // Nothing may also mean that another dispatcher was claiming for the same senders.
      if (count === 0) return;
      if (count === asked) limit = Math.min(most, limit * 2);
      else if (inFlight < limit / 4) limit = Math.max(fewest, limit / 2);
    },
    landed() {
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
    allLanded: () => until(() => inFlight === 0),
  };
}
