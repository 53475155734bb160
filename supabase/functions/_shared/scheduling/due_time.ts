import { FixedOffsetZone, IANAZone, type Zone } from "luxon";
import { AppError, badFormat } from "../errors.ts";

const DATETIME_FORM = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$/;
const DAY_MS = 24 * 60 * 60 * 1000;
const MINUTE_MS = 60 * 1000;
/** A year of more digits has a form of its own, which neither the database nor most clients read. */
const LAST_YEAR = 9999;

/**
 * Returns when a notification is due: `datetime_sending` read as wall-clock time in `timezone` (UTC when absent). Null
 * when it is to be sent at once. A time that a clock change skips moves forward by the gap; of a time that happens twice
 * the first counts. The zone is checked even when there is no time.
 *
 * Throws `validation_failed` for a time of another form, with an offset, not in the calendar, not after `now` or
 * after the year 9999, and for a zone that is no IANA name.
 *
 * @param now null when the time may have passed
 */
export function dueTime(
  datetimeSending: string | undefined,
  timezone: string | undefined,
  now: Date | null,
): Date | null {
  const zone = ianaZone(timezone ?? "UTC");
  if (datetimeSending === undefined) return null;
  const due = new Date(instantOf(wallClock(datetimeSending), zone));
  if (due.getUTCFullYear() > LAST_YEAR) {
    throw badFormat("datetime_sending", datetimeSending, `a time before the end of ${LAST_YEAR} UTC`);
  }
  if (now !== null && due.getTime() <= now.getTime()) {
    throw new AppError("validation_failed", "'datetime_sending' must be in the future", {
      details: {
        field: "datetime_sending",
        provided: datetimeSending,
        expected_format: "a time in the future",
      },
    });
  }
  return due;
}

/** To look up a zone in the engine takes about 100 µs, too long for every request. */
const knownZones = new Map<string, Zone>();
/** Far above the number of zones. Clients may write a name in any letter case, so the map needs a bound. */
const MAX_KNOWN_ZONES = 2000;

function ianaZone(name: string): Zone {
  const zone = zoneNamed(name);
  if (zone === null) throw badFormat("timezone", name, "an IANA timezone name such as Europe/Madrid");
  return zone;
}

/** Returns the zone of an IANA name, in any letter case; null for what is none. */
export function zoneNamed(name: string): Zone | null {
  const known = knownZones.get(name);
  if (known !== undefined) return known;
  const canonical = canonicalName(name);
  if (canonical === null) return null;
  // The engine takes 10 µs for the offset of UTC.
  const zone = canonical === "UTC" ? FixedOffsetZone.utcInstance : IANAZone.create(canonical);
  if (knownZones.size < MAX_KNOWN_ZONES) knownZones.set(name, zone);
  return zone;
}

/** Newer engines accept offsets such as `+02:00` as zones; the contract requires names. */
function canonicalName(name: string): string | null {
  if (!/^[A-Za-z]/.test(name) || !IANAZone.isValidZone(name)) return null;
  return new Intl.DateTimeFormat("en-US", { timeZone: name }).resolvedOptions().timeZone;
}

/** Reads the wall-clock time as milliseconds since 1970, as if the zone were UTC. */
function wallClock(text: string): number {
  const time = DATETIME_FORM.test(text) ? Date.parse(`${text}Z`) : NaN;
  // Parsing rolls 30 February over to March and 24:00 to the next day: a real time comes back as it was written.
  if (Number.isNaN(time) || new Date(time).toISOString().slice(0, 19) !== text) {
    throw badFormat("datetime_sending", text, "YYYY-MM-DDTHH:MM:SS, a real date without an offset");
  }
  return time;
}

/**
 * Returns the moment at which the clocks of a zone show a time, given as milliseconds since 1970 as if the zone were UTC.
 *
 * The offsets a day before and a day after surround any change that could matter. With the earlier offset, a time in
 * a gap lands after it by the gap's length, and a time in an overlap lands on its first occurrence.
 */
export function instantOf(wallClockMs: number, zone: Zone): number {
  const before = wallClockMs - zone.offset(wallClockMs - DAY_MS) * MINUTE_MS;
  const after = wallClockMs - zone.offset(wallClockMs + DAY_MS) * MINUTE_MS;
  const shows = (instant: number) => instant + zone.offset(instant) * MINUTE_MS === wallClockMs;
  return shows(before) || !shows(after) ? before : after;
}

/** Writes a time as the API does: ISO 8601 in UTC, to the second. */
export function utcSeconds(time: Date): string {
  return time.toISOString().replace(/\.\d{3}Z$/, "Z");
}
