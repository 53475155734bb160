import assert from "node:assert/strict";
import { runDevProgram } from "../../../cli/dev_program.ts";
import type { HoursRule } from "../../../supabase/functions/_shared/scheduling/sending_rules.ts";
import {
  dayNumber,
  findUnknownCalendar,
  loadHolidays,
} from "../../../supabase/functions/_shared/scheduling/holidays.ts";

Deno.test("loadHolidays() knows the public holidays of countries and their parts, and no others", async () => {
  const isHoliday = await loadHolidays();
  const cases: [calendar: string, date: string, expected: boolean][] = [
    ["ES", "2027-01-06", true],
    ["ES", "2027-01-07", false],
    // The day of the region.
    ["ES", "2028-05-02", false],
    ["ES-MD", "2028-05-02", true],
    ["US", "2027-07-05", true],
    // 4 July 2027 is a Sunday; Mother's Day is observed, but no public holiday.
    ["US", "2027-05-09", false],
    ["DE-BY", "2027-01-06", true],
    ["DE", "2027-01-06", false],
    ["CO", "2027-01-11", true],
    ["XX", "2027-01-01", false],
  ];
  for (const [calendar, date, expected] of cases) {
    assert.equal(isHoliday(calendar, dayNumber(date)), expected, `${calendar} ${date}`);
  }
});

Deno.test("loadHolidays() closes every day of a holiday of several days", async () => {
  const isHoliday = await loadHolidays();

  for (const date of ["2027-05-16", "2027-05-17", "2027-05-18"]) {
    assert.ok(isHoliday("TR", dayNumber(date)), date);
  }
});

Deno.test("findUnknownCalendar() names a calendar that does not exist", async () => {
  const find = (holidays: string[]) => findUnknownCalendar({ holidays } as HoursRule);

  for (const unknown of ["XX", "US-ZZ", "CO-MD"]) {
    assert.equal(await find(["ES", "ES-MD", unknown, "US-FL"]), unknown);
  }
  assert.equal(await find(["ES", "ES-MD", "US-FL"]), undefined);
});

Deno.test("holidays.json has the days that dev/write_holidays.ts writes, in its first year, its last and between", async () => {
  const isHoliday = await loadHolidays();
  const calendars = ["ES", "ES-MD", "US", "US-FL", "DE-BY", "TR", "IN", "CN", "IL", "CO", "MX", "JP"];
  const inTable = (calendar: string, year: string) =>
    Array.from({ length: 366 }, (_, index) => dayNumber(`${year}-01-01`) + index)
      .filter((day) => isHoliday(calendar, day))
      .map((day) => new Date(day * 86_400_000).toISOString().slice(0, 10))
      .filter((date) => date.startsWith(year));

  // With the years beside them: a holiday may be observed on a day of another year.
  const years = [2025, 2026, 2027, 2035, 2036, 2037, 2044, 2045, 2046];
  const { dates } = await runDevProgram<{ dates: string[][] }>("list_holidays.ts", { calendars, years });

  for (const [index, calendar] of calendars.entries()) {
    for (const year of ["2026", "2036", "2045"]) {
      const expected = new Set(dates[index]!.filter((date) => date.startsWith(year)));
      assert.deepEqual(inTable(calendar, year), [...expected].sort(), `${calendar} ${year}`);
    }
  }
});

Deno.test("holidays.json reaches five years ahead", async () => {
  const isHoliday = await loadHolidays();
  const year = new Date().getUTCFullYear() + 5;

  assert.ok(isHoliday("ES", dayNumber(`${year}-12-25`)), "set LAST_YEAR in dev/write_holidays.ts and run it");
});
