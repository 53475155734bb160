import assert from "node:assert/strict";
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
