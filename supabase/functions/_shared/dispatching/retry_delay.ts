import type { SendOutcome } from "../gateways/send_outcome.ts";
import { scheduledDelayS } from "../values/retry_delay.ts";

/** The number of tries after which a notification fails. */
export const MAX_ATTEMPTS = 5;

/** Seconds to wait after the first, second, … refused try. */
const RETRY_SCHEDULE_S = [10, 40, 160, 640];

/** After the platform's limit for one recipient: its own advice, 4^x seconds. Source: WhatsApp, error 131056. */
const RECIPIENT_SCHEDULE_S = [1, 4, 16, 64];

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
  return scheduledDelayS(reason === "recipient" ? RECIPIENT_SCHEDULE_S : RETRY_SCHEDULE_S, attempt, random);
}

/** Seconds until the next attempt of what found no connection, or a sender that sends too fast. */
export function resendDelayS(random: number): number {
  return 1 + random;
}

/** A refusal that another try may overcome. */
export interface RefusedTry {
  /** The number of the try that was refused, from 1. */
  attempt: number;
  refusal: Extract<SendOutcome, { kind: "refused" }>;
  /** Evenly spread over 0 ≤ x < 1. */
  random: number;
}

/** Returns whether there is a retry of what was refused, and after how many seconds. The last try fails. */
export function retryOrFail(
  { attempt, refusal: { action, reason, retryAfterS = 0 }, random }: RefusedTry,
): { outcome: "retry"; retry_in_s: number } | { outcome: "failed"; reason: string } {
  if (attempt >= MAX_ATTEMPTS) {
    return { outcome: "failed", reason: `${reason} (failed after ${attempt} tries)` };
  }
  const delay = retryDelayS(attempt, random, action === "retry_recipient" ? "recipient" : "general");
  return { outcome: "retry", retry_in_s: Math.max(retryAfterS, delay) };
}
