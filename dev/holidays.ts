import Holidays from "date-holidays";

const DAY_MS = 86_400_000;

/** The public holidays of a calendar in some years: of each holiday its dates. */
export function publicHolidays(calendar: string, years: number[]): string[][] {
  const [country = "", state] = calendar.split("-");
  const known = state === undefined ? new Holidays(country) : new Holidays(country, state);
  const dates = new Map<string, string[]>();
  for (const holiday of years.flatMap((year) => known.getHolidays(year))) {
    if (holiday.type !== "public") continue;
    dates.set(holiday.rule, [...dates.get(holiday.rule) ?? [], ...datesOf(holiday)]);
  }
  return [...dates.values()];
}

/** Half a day counts as a whole one, and one that begins in the evening from the next morning. */
function datesOf({ date, start, end }: { date: string; start: Date; end: Date }): string[] {
  const first = Date.parse(`${date.slice(0, 10)}T00:00:00Z`);
  const length = Math.max(1, Math.ceil((end.getTime() - start.getTime()) / DAY_MS));
  return Array.from({ length }, (_, index) => new Date(first + index * DAY_MS).toISOString().slice(0, 10));
}

/** All calendars: of countries, and of those of their parts that have one. */
export function allCalendars(): string[] {
  const all = new Holidays();
  return Object.keys(all.getCountries()).flatMap((country) => [
    country,
    ...Object.keys(all.getStates(country) ?? {}).map((state) => `${country}-${state}`),
  ]);
}
