/** Counts uses per subject in fixed windows of time, in this process. */
export interface WindowCounter {
  /** Counts a use. Returns the seconds to wait once it is one too many, 0 otherwise; refused uses do not count on. */
  count(subject: string, limit: number): number;
  /** The seconds to wait while a subject has `limit` uses or more, 0 otherwise. Counts nothing. */
  waitS(subject: string, limit: number): number;
  /** Counts `uses` without a limit. */
  add(subject: string, uses: number): void;
}

export interface WindowCounterOptions {
  windowMs: number;
  /** How many subjects are remembered; beyond that the oldest are forgotten. */
  maxSubjects: number;
  /** Milliseconds, from anywhere. */
  now: () => number;
}

/** A counter that costs no query, for what is cheap to serve and asked for often. */
export function createWindowCounter({ windowMs, maxSubjects, now }: WindowCounterOptions): WindowCounter {
  const windows = new Map<string, { endsAt: number; uses: number }>();

  function windowOf(subject: string, at: number): { endsAt: number; uses: number } {
    const known = windows.get(subject);
    if (known && known.endsAt > at) return known;
    // At the end of the map, so that the first one is always the oldest.
    windows.delete(subject);
    const started = { endsAt: at + windowMs, uses: 0 };
    windows.set(subject, started);
    if (windows.size > maxSubjects) windows.delete(windows.keys().next().value!);
    return started;
  }

  function waitS(subject: string, limit: number): number {
    const [at, window] = [now(), windows.get(subject)];
    if (!window || window.endsAt <= at || window.uses < limit) return 0;
    return Math.max(Math.ceil((window.endsAt - at) / 1000), 1);
  }

  function add(subject: string, uses: number): void {
    windowOf(subject, now()).uses += uses;
  }

  return {
    count(subject, limit) {
      const wait = waitS(subject, limit);
      if (wait === 0) add(subject, 1);
      return wait;
    },
    waitS,
    add,
  };
}
