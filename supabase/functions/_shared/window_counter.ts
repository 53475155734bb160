import { createExpiringMap } from "./expiring_map.ts";

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
  const windows = createExpiringMap<string, { endsAt: number; uses: number }>({
    ttlMs: windowMs,
    maxEntries: maxSubjects,
    now,
  });

  function waitS(subject: string, limit: number): number {
    const window = windows.get(subject);
    return window && window.uses >= limit ? Math.ceil((window.endsAt - now()) / 1000) : 0;
  }

  function add(subject: string, uses: number): void {
    const window = windows.get(subject);
    if (window) window.uses += uses;
    else windows.set(subject, { endsAt: now() + windowMs, uses });
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
