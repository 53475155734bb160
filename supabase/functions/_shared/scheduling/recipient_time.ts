import { Duration, type Zone } from "luxon";
import type { Address } from "../values/address.ts";
import { instantOf, zoneNamed } from "./due_time.ts";
import { countriesOf, zonesOfCountry } from "./recipient_places.ts";

/** When the recipients of a request get it, where that is not one time for all. */
export interface Timing {
  /** HH:MM or HH:MM:SS on the clocks of each recipient. */
  recipient_time?: string;
  /** The period over which the messages are spread, as an ISO 8601 duration. */
  spread_over?: string;
}

const TIME = /^(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?$/;
/** Above, the time to live of a message and the rules of its day would mean little. */
const MAX_SPREAD_MS = 7 * 24 * 3600 * 1000;

/** The form of each field of a {@link Timing}. */
export const TIMING_FORMS: Record<keyof Timing, { isMet: (value: unknown) => boolean; form: string }> = {
  recipient_time: {
    isMet: (value) => typeof value === "string" && TIME.test(value),
    form: "HH:MM, a time on the recipient's clock",
  },
  spread_over: {
    isMet: (value) => typeof value === "string" && spreadMs(value) > 0 && spreadMs(value) <= MAX_SPREAD_MS,
    form: "an ISO 8601 duration of at most 7 days, such as PT2H",
  },
};

/**
 * Returns the timing that a request asks for; null for none. A value of another form is a field of the client's own, as the
 * contract lets it name them.
 */
export function timingOf(fields: Record<string, unknown>): Timing | null {
  const { recipient_time: time, spread_over: spread } = fields;
  if (time === undefined && spread === undefined) return null;
  const isMet = (name: keyof Timing) => TIMING_FORMS[name].isMet(fields[name]);
  if (!isMet("recipient_time") && !isMet("spread_over")) return null;
  return {
    ...(isMet("recipient_time") && { recipient_time: time as string }),
    ...(isMet("spread_over") && { spread_over: spread as string }),
  };
}

/** Returns the length of an ISO 8601 duration in milliseconds; NaN for other text. */
export function spreadMs(duration: string): number {
  return Duration.fromISO(duration).toMillis();
}

const DAY_MS = 86_400_000;

/**
 * Returns the first moment from `now` on at which the clocks of a zone show `time`, on `day` (YYYY-MM-DD) or later; without
 * a day, from today on. A clock change that skips the time, or repeats it, counts as in `dueTime`.
 */
export function nextLocalTime(
  { day, time }: { day: string | null; time: string },
  zone: Zone,
  now: number,
): number {
  const [hours, minutes, seconds = 0] = time.split(":").map(Number) as [number, number, number?];
  const clock = (hours * 3600 + minutes * 60 + seconds) * 1000;
  const today = Math.floor((now + zone.offset(now) * 60_000) / DAY_MS) * DAY_MS;
  let midnight = Math.max(day === null ? today : Date.parse(`${day}T00:00:00Z`), today);
  while (instantOf(midnight + clock, zone) < now) midnight += DAY_MS;
  return instantOf(midnight + clock, zone);
}

/** The zone of a recipient, and where it is known from. */
export interface RecipientZone {
  zone: Zone;
  source: "contact" | "stored" | "number" | "request";
}

/** The names that a recipient's zone may be known by, in the order in which they count. */
interface ZoneNames {
  /** The `timezone` field of the contact in the request. */
  contact: unknown;
  /** Of the person as the company has stored it. */
  stored: string | null | undefined;
  request: string | undefined;
}

/**
 * Makes a function that returns the zone of a recipient at a time: the contact's, else the stored one, else the number's, else the
 * request's, else UTC. Names that are no zone count as left out.
 *
 * A number of a country with several zones is in the request's, if that is one of them; else in the one where a time of
 * day comes last, so that in no zone of the country the message comes before its hour.
 */
export function createZoneFinder(at: number): (recipient: Address, names: ZoneNames) => RecipientZone {
  const byCountries = new Map<string, Zone | null>();

  function zoneByNumber(recipient: Address, request: Zone | null): Zone | null {
    const countries = countriesOf(recipient);
    const id = countries.join();
    let zone = byCountries.get(id);
    if (zone === undefined) {
      const zones = countries.flatMap(zonesOfCountry).flatMap((name) => zoneNamed(name) ?? []);
      zone = zones.find(({ name }) => name === request?.name) ?? lastOf(zones, at);
      byCountries.set(id, zone);
    }
    return zone;
  }

  return (recipient, names) => {
    const named = (name: unknown) => typeof name === "string" && name !== "" ? zoneNamed(name) : null;
    const contact = named(names.contact);
    if (contact !== null) return { zone: contact, source: "contact" };
    const stored = named(names.stored);
    if (stored !== null) return { zone: stored, source: "stored" };
    const request = named(names.request);
    const number = zoneByNumber(recipient, request);
    if (number !== null) return { zone: number, source: "number" };
    return { zone: request ?? zoneNamed("UTC")!, source: "request" };
  };
}

/** Returns the zone whose clocks are furthest behind; null for none. */
function lastOf(zones: Zone[], at: number): Zone | null {
  return zones.toSorted((a, b) => a.offset(at) - b.offset(at))[0] ?? null;
}

/** Returns a number from 0 up to 1 that is the same for an address always, and spread evenly over addresses (FNV-1a). */
export function positionInPeriod(address: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < address.length; i++) hash = Math.imul(hash ^ address.charCodeAt(i), 0x01000193);
  // FNV leaves the last characters in the low bits: mixed once more, numbers in a row do not fall together.
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
