import type { HoursRule } from "./sending_rules.ts";

const DAY_MS = 86_400_000;

/** Returns whether a day is a public holiday of a calendar: `ES`, or `US-FL` with a part of the country. */
export type IsHoliday = (calendar: string, day: number) => boolean;

/** Counts days from 1970: the number of the day with this date. */
export function dayNumber(date: string): number {
  return Date.parse(`${date.slice(0, 10)}T00:00:00Z`) / DAY_MS;
}

/** `holidays.json`, which `dev/write_holidays.ts` writes. */
interface Table {
  first_year: number;
  last_year: number;
  /**
   * Days as two characters, month and day to the base 36: one for all years, or one for each year with `..` where the
   * holiday is none.
   */
  series: string[];
  /** The indexes of their series, by name. */
  calendars: Record<string, number[]>;
}

let loading: Promise<IsHoliday> | undefined;

/**
 * Loads the calendars of all countries, once, when a rule first needs them. A calendar that is not known has no holidays,
 * and neither has a year outside of the table.
 */
export function loadHolidays(): Promise<IsHoliday> {
  loading ??= readCalendars();
  loading.catch(() => loading = undefined);
  return loading;
}

async function readTable(): Promise<Table> {
  return (await import("./holidays.json", { with: { type: "json" } })).default;
}

async function readCalendars(): Promise<IsHoliday> {
  const { first_year, last_year, series, calendars } = await readTable();
  const years = new Map<string, Set<string>>();

  function holidaysOf(calendar: string, year: number): Set<string> {
    const id = `${calendar} ${year}`;
    let days = years.get(id);
    if (days === undefined) {
      const start = 2 * (year - first_year);
      const isCovered = year >= first_year && year <= last_year;
      const indexes = isCovered && Object.hasOwn(calendars, calendar) ? calendars[calendar]! : [];
      days = new Set(indexes.map((index) => {
        const text = series[index]!;
        return text.length === 2 ? text : text.slice(start, start + 2);
      }));
      years.set(id, days);
    }
    return days;
  }

  return (calendar, day) => {
    const date = new Date(day * DAY_MS);
    const code = (date.getUTCMonth() + 1).toString(36) + date.getUTCDate().toString(36);
    return holidaysOf(calendar, date.getUTCFullYear()).has(code);
  };
}

/** Returns a calendar of a rule that does not exist. Loads nothing for a rule without calendars. */
export async function findUnknownCalendar(rule: HoursRule): Promise<string | undefined> {
  const calendars = "holidays" in rule && Array.isArray(rule.holidays) ? rule.holidays : [];
  if (calendars.length === 0) return undefined;
  const { calendars: known } = await readTable();
  return calendars.find((calendar) => !Object.hasOwn(known, calendar));
}
