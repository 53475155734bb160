import type { HoursRule } from "./sending_rules.ts";

const DAY_MS = 86_400_000;

/** Returns whether a day is a public holiday of a calendar: `ES`, or `US-FL` with a part of the country. */
export type IsHoliday = (calendar: string, day: number) => boolean;

/** Counts days from 1970: the number of the day with this date. */
export function dayNumber(date: string): number {
  return Date.parse(`${date.slice(0, 10)}T00:00:00Z`) / DAY_MS;
}

let loading: Promise<IsHoliday> | undefined;

/**
 * Loads the calendars of all countries, once. They take about 30 MB and a fifth of a second, so they are loaded when a
 * rule needs them and not before. A calendar that is not known has no holidays.
 */
export function loadHolidays(): Promise<IsHoliday> {
  loading ??= readCalendars();
  loading.catch(() => loading = undefined);
  return loading;
}

async function readCalendars(): Promise<IsHoliday> {
  const { default: Holidays } = await import("date-holidays");
  const years = new Map<string, Set<number>>();

  function holidaysOf(calendar: string, year: number): Set<number> {
    const id = `${calendar} ${year}`;
    let days = years.get(id);
    if (days === undefined) {
      const [country = "", state] = calendar.split("-");
      const known = state === undefined ? new Holidays(country) : new Holidays(country, state);
      days = new Set(
        known.getHolidays(year).filter(({ type }) => type === "public").flatMap(daysOf),
      );
      years.set(id, days);
    }
    return days;
  }

  return (calendar, day) => holidaysOf(calendar, new Date(day * DAY_MS).getUTCFullYear()).has(day);
}

/** Half a day counts as a whole one, and one that begins in the evening from the next morning. */
function daysOf({ date, start, end }: { date: string; start: Date; end: Date }): number[] {
  const first = dayNumber(date);
  const length = Math.max(1, Math.ceil((end.getTime() - start.getTime()) / DAY_MS));
  return Array.from({ length }, (_, index) => first + index);
}

/** Returns a calendar of a rule that does not exist. Loads nothing for a rule without calendars. */
export async function findUnknownCalendar(rule: HoursRule): Promise<string | undefined> {
  const calendars = "holidays" in rule && Array.isArray(rule.holidays) ? rule.holidays : [];
  if (calendars.length === 0) return undefined;
  const { default: Holidays } = await import("date-holidays");
  const all = new Holidays();
  return calendars.find((calendar) => {
    const [country = "", state] = calendar.split("-");
    if (!(country in all.getCountries())) return true;
    return state !== undefined && !(state in (all.getStates(country) ?? {}));
  });
}
