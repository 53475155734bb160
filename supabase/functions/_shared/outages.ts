/** Tracks the services that this one depends on, to estimate when a failing one works again. */
export interface Outages {
  /**
   * Records that a service failed. Returns when it probably works again:
   *
   * 1. when the service said so itself (`retryAfterS`), now or at an earlier failure of this outage;
   * 2. after as long again as the outage has lasted, between 5 seconds and 15 minutes: the same estimate that makes
   *    clients double their delays;
   * 3. null for the first failure, about which nothing is known.
   *
   * @param retryAfterS seconds, from a `Retry-After` header
   */
  failed(service: string, retryAfterS?: number): Date | null;
  /** Records that a service responded: its outage, if there was one, is over. */
  worked(service: string): void;
}

interface Outage {
  since: number;
  lastFailure: number;
  /** When the service itself said to retry. */
  announcedEnd: number;
}

/** After a longer gap a failure starts another outage, also when there was no request in between. */
const MAX_GAP_MS = 5 * 60_000;
const MIN_ESTIMATE_MS = 5_000;
const MAX_ESTIMATE_MS = 15 * 60_000;

/** Creates a tracker for services whose names are few and fixed. */
export function createOutages(now: () => Date): Outages {
  const outages = new Map<string, Outage>();
  return {
    failed(service, retryAfterS) {
      const at = now().getTime();
      const known = outages.get(service);
      const continues = known !== undefined && at - known.lastFailure <= MAX_GAP_MS;
      const outage = continues
        ? { ...known, lastFailure: at }
        : { since: at, lastFailure: at, announcedEnd: at };
      if (retryAfterS !== undefined) outage.announcedEnd = at + retryAfterS * 1000;
      outages.set(service, outage);
      if (retryAfterS !== undefined || outage.announcedEnd > at) return new Date(outage.announcedEnd);
      if (!continues) return null;
      return new Date(at + Math.min(Math.max(at - outage.since, MIN_ESTIMATE_MS), MAX_ESTIMATE_MS));
    },
    worked(service) {
      outages.delete(service);
    },
  };
}
