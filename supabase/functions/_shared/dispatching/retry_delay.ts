/** The number of tries after which a notification fails. */
export const MAX_ATTEMPTS = 5;

/** Seconds to wait after the first, second, … refused try. */
const RETRY_SCHEDULE_S = [10, 40, 160, 640];

/** After the platform's limit for one recipient: its own advice, 4^x seconds. Source: WhatsApp, error 131056. */
const RECIPIENT_SCHEDULE_S = [1, 4, 16, 64];

/** How much a wait may differ from the schedule, so that notifications that failed together are not retried together. */
const JITTER = 0.2;

/**
 * Returns the seconds until the next try.
 *
 * @param attempt the number of the try that was refused, from 1
 * @param random evenly spread over 0 ≤ x < 1
 */
export function retryDelayS(
  attempt: number,
  random: number,
  reason: "general" | "recipient" = "general",
): number {
  const schedule = reason === "recipient" ? RECIPIENT_SCHEDULE_S : RETRY_SCHEDULE_S;
  const base = schedule[Math.min(attempt, schedule.length) - 1]!;
  return base * (1 - JITTER + 2 * JITTER * random);
}
