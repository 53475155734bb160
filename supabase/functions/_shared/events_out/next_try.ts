/**
 * Seconds to wait after the first, second, … failed try: short ones for a restart, long ones for an outage. Eight tries
 * in all; the last comes almost a day after the first.
 */
const RETRY_SCHEDULE_S = [5, 300, 1800, 7200, 18_000, 21_600, 36_000];

/** How much a wait may differ from the schedule, so that what failed together does not come back together. */
const JITTER = 0.1;

/**
 * Seconds until an event is offered again, or null when it has been offered often enough.
 *
 * @param failedTry the number of the try that failed, from 1
 * @param random evenly spread over 0 ≤ x < 1
 */
export function nextTryInS(failedTry: number, random: number): number | null {
  const base = RETRY_SCHEDULE_S[failedTry - 1];
  return base === undefined ? null : base * (1 - JITTER + 2 * JITTER * random);
}
