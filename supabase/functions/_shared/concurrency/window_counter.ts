import { createExpiringMap } from "./expiring_cache.ts";

/** Counts uses per subject in fixed windows of time, in this process. */
export interface WindowCounter {
  /** Counts a use. Returns the seconds to wait when it is one too many, 0 otherwise. Refused uses are not counted. */
  count(subject: string, limit: number): number;
  /** Returns the seconds to wait while a subject has `limit` uses or more, 0 otherwise. Counts nothing. */
  waitS(subject: string, limit: number): number;
  /** Counts `uses` without a limit. */
  add(subject: string, uses: number): void;
}

export interface WindowCounterOptions {
  windowMs: number;
  /** How many subjects are kept; beyond that the oldest are dropped. */
  maxSubjects: number;
  /** Milliseconds since any fixed moment. */
  now: () => number;
}

/** Creates a counter in memory, without queries, for frequent and cheap requests. */
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
