import type { ClaimedNotification } from "../db/dispatch_queue.ts";
import { nextOpening } from "../scheduling/next_opening.ts";
import { zonesOfNumber } from "../scheduling/zones_of_number.ts";

const DEFAULT_ZONE = "UTC";

/**
 * The moment from which a call may be made, by its company's calling hours; null when it may be made now, or is no call.
 *
 * By the recipient's clock it must be inside the hours in every zone the number may be in. Where that cannot be, or the
 * number belongs to no country, the campaign's zone decides.
 */
export function callableFrom(
  { calling_hours: hours, number, timezone }: ClaimedNotification,
  now: Date,
): Date | null {
  if (hours === null) return null;
  const own = [timezone ?? DEFAULT_ZONE];
  const theirs = hours.zone === "recipient" ? zonesOfNumber(number) : [];
  const opening = nextOpening(hours, theirs.length > 0 ? theirs : own, now);
  const certain = opening === "never" ? nextOpening(hours, own, now) : opening;
  return certain === "never" ? null : certain;
}
