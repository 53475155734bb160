/** How much a wait may differ from its schedule. */
const JITTER = 0.2;

/**
 * Returns the seconds until the next attempt by a schedule, whose last entry is for all attempts that follow.
 *
 * @param failedAttempt the number of the attempt that failed, from 1
 * @param random as of {@link spreadDelayS}
 */
export function scheduledDelayS(schedule: readonly number[], failedAttempt: number, random: number): number {
  return spreadDelayS(schedule[Math.min(failedAttempt, schedule.length) - 1]!, random);
}

/**
 * Returns a wait that differs a little from the given one, so that what failed together is not retried together.
 *
 * @param random evenly spread over 0 ≤ x < 1
 * @param jitter the most by which it differs, as a part of the wait
 */
export function spreadDelayS(delayS: number, random: number, jitter = JITTER): number {
  return delayS * (1 - jitter + 2 * jitter * random);
}
