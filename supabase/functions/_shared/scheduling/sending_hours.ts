import type { Address } from "../values/address.ts";
import { presetHours } from "./hours_presets.ts";
import { type IsHoliday, loadHolidays } from "./holidays.ts";
import { intersectIntervals, type Interval, openIntervals } from "./open_intervals.ts";
import { countriesOf, zonesOfCountry } from "./recipient_places.ts";
import { appliesTo, type HoursRule, type RuleSubject } from "./sending_rules.ts";
import type { WeekWindows } from "./week_windows.ts";

const DAY_MS = 86_400_000;
/** A notification waits no longer before the rules are checked again. */
const MAX_DAYS_AHEAD = 14;
/** The day on which a search begins, and a day more because it may begin at that day's end. */
const DAYS_SEARCHED = MAX_DAYS_AHEAD + 2;
const DEFAULT_ZONE = "UTC";

/** The recipient of a notification, and what else decides by whose clock its hours go. */
export interface HoursSubject extends Address, RuleSubject {
  /** The campaign's own, an IANA name; null: UTC. */
  timezone: string | null;
}

/** When a notification may leave, and by whose clock. */
export interface HoursVerdict {
  /** Null: now. Never later than 14 days from now. */
  until: Date | null;
  /** `none`: no rule is about this notification. `never`: the rules leave no moment in the next 14 days. */
  by: "none" | "recipient" | "campaign" | "never";
  /** Where the recipient may live; empty for a number of no country. */
  countries: string[];
}

/**
 * Returns the next moment at which all rules allow a notification; null when that is now.
 *
 * By the recipient's clock, the moment must be inside the hours in every zone where the recipient may be. Where the next
 * 14 days have no such moment, or the number belongs to no country, the campaign's zone decides. Rules that leave no
 * moment even then hold the notification for 14 days, after which it is checked again.
 */
export async function nextAllowed(
  rules: HoursRule[],
  subject: HoursSubject,
  now: Date,
): Promise<Date | null> {
  return (await checkHours(rules, subject, now)).until;
}

/** Returns the same as `nextAllowed`, and how it was found. */
export async function checkHours(
  rules: HoursRule[],
  subject: HoursSubject,
  now: Date,
): Promise<HoursVerdict> {
  if (!rules.some((rule) => appliesTo(rule, subject))) return { until: null, by: "none", countries: [] };
  const countries = countriesOf(subject);
  for (const by of ["recipient", "campaign"] as const) {
    const until = firstIn(await openTimes({ rules, subject, countries, by }, now), now);
    if (until !== undefined) return { until, by, countries };
  }
  return { until: new Date(now.getTime() + MAX_DAYS_AHEAD * DAY_MS), by: "never", countries };
}

interface Search {
  rules: HoursRule[];
  subject: HoursSubject;
  countries: string[];
  by: "recipient" | "campaign";
}

/** A search is the same for all recipients of a country, so its result serves a whole campaign. */
const knownTimes = new WeakMap<HoursRule[], Map<string, Promise<Interval[]>>>();
const MAX_KNOWN_TIMES = 500;

/** Returns when all rules are open in all locations, from the beginning of this day of UTC. */
function openTimes(search: Search, now: Date): Promise<Interval[]> {
  const { rules, subject, countries, by } = search;
  const firstDay = Math.floor(now.getTime() / DAY_MS);
  const id =
    `${firstDay} ${by} ${subject.channel} ${subject.isMarketing} ${subject.timezone} ${countries.join()}`;
  const known = knownTimes.get(rules) ?? new Map<string, Promise<Interval[]>>();
  if (known.size >= MAX_KNOWN_TIMES) known.clear();
  knownTimes.set(rules, known);
  let times = known.get(id);
  if (times === undefined) {
    times = findOpenTimes(search, firstDay);
    known.set(id, times);
    times.catch(() => known.delete(id));
  }
  return times;
}

async function findOpenTimes(
  { rules, subject, countries, by }: Search,
  firstDay: number,
): Promise<Interval[]> {
  const applicable = rules.filter((rule) => appliesTo(rule, subject));
  const locations = by === "recipient" ? locationsOf(countries) : ownLocations(countries, subject);
  if (locations.length === 0) return [];
  const needsHolidays = applicable.some((rule) =>
    locations.some(({ country }) => hoursIn(rule, country, subject.channel).calendars.length > 0)
  );
  const isHoliday = needsHolidays ? await loadHolidays() : noHolidays;
  let open: Interval[] = [[firstDay * DAY_MS, (firstDay + DAYS_SEARCHED) * DAY_MS]];
  for (const rule of applicable) {
    for (const { country, zone } of locations) {
      const { windows, calendars } = hoursIn(rule, country, subject.channel);
      const hours = {
        zone: rule.zone === "campaign" ? ownZone(subject) : zone,
        windows,
        isClosed: (day: number) => calendars.some((calendar) => isHoliday(calendar, day)),
      };
      open = intersectIntervals(open, openIntervals(hours, { firstDay, days: DAYS_SEARCHED }));
      if (open.length === 0) return open;
    }
  }
  return open;
}

const noHolidays: IsHoliday = () => false;

/** A country's calendar and a clock by which a rule must allow a moment. */
interface Location {
  country: string | null;
  zone: string;
}

function locationsOf(countries: string[]): Location[] {
  return countries.flatMap((country) => zonesOfCountry(country).map((zone) => ({ country, zone })));
}

/** Each country's calendar by the campaign's clock. */
function ownLocations(countries: string[], subject: HoursSubject): Location[] {
  return (countries.length > 0 ? countries : [null]).map((country) => ({ country, zone: ownZone(subject) }));
}

function ownZone({ timezone }: HoursSubject): string {
  return timezone ?? DEFAULT_ZONE;
}

/** The hours of a rule in one country. */
interface CountryHours {
  windows: WeekWindows;
  /** Whose public holidays are closed. */
  calendars: string[];
}

function hoursIn(rule: HoursRule, country: string | null, channel: HoursSubject["channel"]): CountryHours {
  if ("preset" in rule) {
    const source = rule.preset === "recipient" ? country : rule.preset;
    const { windows, holidays } = presetHours(source, channel);
    return { windows, calendars: holidays && source !== null ? [source] : [] };
  }
  if (rule.holidays !== "recipient") return { windows: rule.windows, calendars: rule.holidays ?? [] };
  return { windows: rule.windows, calendars: country === null ? [] : [country] };
}

/** Returns the first moment from now on that is in one of the intervals; null when now is, undefined when none is. */
function firstIn(times: Interval[], now: Date): Date | null | undefined {
  const at = now.getTime();
  const next = times.find(([, until]) => until > at);
  if (next === undefined || next[0] > at + MAX_DAYS_AHEAD * DAY_MS) return undefined;
  return next[0] <= at ? null : new Date(next[0]);
}
