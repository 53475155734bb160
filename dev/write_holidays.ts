/**
 * Writes the public holidays of all calendars into supabase/functions/_shared/scheduling/holidays.json, whose form
 * holidays.ts beside it reads. Takes a minute. Usage: deno run -A --frozen dev/write_holidays.ts
 *
 * @module
 */
import { allCalendars, publicHolidays } from "./holidays.ts";

const FILE = new URL("../supabase/functions/_shared/scheduling/holidays.json", import.meta.url);
const FIRST_YEAR = 2026;
const LAST_YEAR = 2045;

/** With the years around, whose holidays may be observed in the first or the last one. */
const YEARS = Array.from({ length: LAST_YEAR - FIRST_YEAR + 3 }, (_, index) => FIRST_YEAR - 1 + index);

/** Most holidays are those of many calendars: each series of dates is written once. */
const series = new Map<string, number>();

function numberOf(text: string): number {
  if (!series.has(text)) series.set(text, series.size);
  return series.get(text)!;
}

/** A day of a year as two characters: month and day, to the base 36. */
function codeOf(date: string): string {
  return Number(date.slice(5, 7)).toString(36) + Number(date.slice(8)).toString(36);
}

/** A series for the first date of each year, one for the second and so on: a code for all years, or one a year. */
function seriesOf(dates: string[]): string[] {
  const byYear = YEARS.slice(1, -1).map((year) =>
    [...new Set(dates)].filter((date) => date.startsWith(`${year}-`)).map(codeOf)
  );
  const length = Math.max(...byYear.map((codes) => codes.length));
  return Array.from({ length }, (_, index) => {
    const codes = byYear.map((each) => each[index] ?? "..");
    return new Set(codes).size === 1 ? codes[0]! : codes.join("");
  });
}

const calendars = Object.fromEntries(
  allCalendars().map((calendar) => [
    calendar,
    publicHolidays(calendar, YEARS).flatMap(seriesOf).map(numberOf),
  ]),
);
const entries = [
  `"first_year": ${FIRST_YEAR}`,
  `"last_year": ${LAST_YEAR}`,
  `"series": [\n${[...series.keys()].map((text) => JSON.stringify(text)).join(",\n")}\n]`,
  `"calendars": {\n${
    Object.entries(calendars).map(([name, numbers]) => `"${name}": ${JSON.stringify(numbers)}`).join(",\n")
  }\n}`,
];
await Deno.writeTextFile(FILE, `{\n${entries.join(",\n")}\n}\n`);
