import { DateTime } from "luxon";
import { getTimezonesForCountry } from "countries-and-timezones";
import { type CountryCode, parsePhoneNumberFromString } from "libphonenumber-js/max";

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
 * Returns the next moment that is inside the hours in all of the zones at once. Null when now is; `never` when no moment
 * of the next days is, because the zones lie too far apart. The hours are those that a clock on the wall shows. Where a
 * clock change skips the time at which they begin, they begin later by the length of the gap.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { nextOpening } from "./calling_hours.ts";
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
  // The hours begin everywhere when they begin in the last zone.
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

/**
 * Returns the time zones a phone number may be in: all of its country, or of every country it may belong to. A mobile
 * number does not show where in a country its owner lives, nor whether its owner travels. Empty for a number that belongs
 * to no country, such as 800 numbers.
 *
 * @param number digits with the country code
 */
export function zonesOfNumber(number: string): string[] {
  const parsed = parsePhoneNumberFromString(`+${number}`);
  if (!parsed) return [];
  const countries = parsed.country ? [parsed.country] : parsed.getPossibleCountries();
  return [...new Set(countries.flatMap(zonesOfCountry))];
}

function zonesOfCountry(country: CountryCode): string[] {
  return (getTimezonesForCountry(country) ?? []).map(({ name }) => name);
}

const DEFAULT_ZONE = "UTC";

/** The parts of a claimed notification that decide when its call may be made. */
export interface PlannedCall {
  /** The company's; null for at any time, and for a message. */
  calling_hours: CallingHours | null;
  /** Digits with the country code. */
  number: string;
  /** The campaign's own, an IANA name. */
  timezone: string | null;
}

/**
 * Returns the moment from which a call may be made, by its company's calling hours; null when it may be made now, or is
 * no call.
 *
 * By the recipient's clock the moment must be inside the hours in every zone the number may be in. Where no moment is, or
 * the number belongs to no country, the campaign's zone decides.
 */
export function callableFrom(
  { calling_hours: hours, number, timezone }: PlannedCall,
  now: Date,
): Date | null {
  if (hours === null) return null;
  const own = [timezone ?? DEFAULT_ZONE];
  const theirs = hours.zone === "recipient" ? zonesOfNumber(number) : [];
  const opening = nextOpening(hours, theirs.length > 0 ? theirs : own, now);
  const certain = opening === "never" ? nextOpening(hours, own, now) : opening;
  return certain === "never" ? null : certain;
}
