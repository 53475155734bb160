import { DateTime } from "luxon";

/** The part of a day in which calls may be made, by the clocks of one or more zones. */
export interface CallingHours {
  /** `08:00`, seconds may follow. */
  from: string;
  /** Later than `from`, `24:00` at most; the first moment that is outside. */
  until: string;
  zone: "recipient" | "campaign";
}

/** Any two zones agree on some hour of the day or never do, whatever day it is; clock changes move that by an hour. */
const DAYS_AHEAD = 3;

/**
 * When it is next inside the hours in all of the zones at once: null when it is so now, `never` when that does not come
 * about within days, because the zones lie too far apart. Clock changes count: the hours are those a clock on the wall
 * shows. Where a change skips the very time at which the hours begin, they begin later by what was skipped.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { nextOpening } from "./next_opening.ts";
 *
 * const hours = { from: "08:00", until: "21:00", zone: "campaign" } as const;
 * const opening = nextOpening(hours, ["Europe/Madrid"], new Date("2030-01-15T22:00:00Z"));
 * assert.deepEqual(opening, new Date("2030-01-16T07:00:00Z"));
 * ```
 */
export function nextOpening(hours: CallingHours, zones: string[], now: Date): Date | "never" | null {
  const isOpen = (at: number) => zones.every((zone) => isInside(hours, DateTime.fromMillis(at, { zone })));
  if (isOpen(now.getTime())) return null;
  const openings = zones.flatMap((zone) => openingsAfter(hours.from, DateTime.fromJSDate(now, { zone })));
  // It opens everywhere the moment it opens where it opens last.
  const first = openings.sort((a, b) => a - b).find((at) => at > now.getTime() && isOpen(at));
  return first === undefined ? "never" : new Date(first);
}

function openingsAfter(from: string, now: DateTime): number[] {
  const [hour = 0, minute = 0] = from.split(":").map(Number);
  return Array.from(
    { length: DAYS_AHEAD },
    (_, days) => now.plus({ days }).set({ hour, minute, second: 0, millisecond: 0 }).toMillis(),
  );
}

/** Times of one form compare like their texts. */
function isInside({ from, until }: CallingHours, at: DateTime): boolean {
  const time = at.toFormat("HH:mm");
  return time >= from.slice(0, 5) && time < until.slice(0, 5);
}
