import assert from "node:assert/strict";
import fc from "fast-check";
import { DateTime } from "luxon";
import { openIntervals } from "../../../supabase/functions/_shared/scheduling/open_intervals.ts";
import {
  readWindows,
  type WeekWindows,
} from "../../../supabase/functions/_shared/scheduling/week_windows.ts";

const DAY_MS = 86_400_000;
const QUARTER_MS = 900_000;

function opened(text: string, zone: string, from: string, days: number): string[] {
  const range = { firstDay: Date.parse(`${from}T00:00:00Z`) / DAY_MS, days };
  const hours = { zone, windows: readWindows(text)!, isClosed: () => false };
  return openIntervals(hours, range).map((times) =>
    times.map((time) => new Date(time).toISOString().slice(5, 16)).join(" ")
  );
}

Deno.test("openIntervals() goes by the wall clock across clock changes", () => {
  // Madrid: 31 March 2030 to summer time, 27 October 2030 back.
  const day = "mon-sun 08:00-21:00";
  assert.deepEqual(opened(day, "Europe/Madrid", "2030-03-30", 2), [
    "03-30T07:00 03-30T20:00",
    "03-31T06:00 03-31T19:00",
  ]);
  assert.deepEqual(opened(day, "Europe/Madrid", "2030-10-26", 2), [
    "10-26T06:00 10-26T19:00",
    "10-27T07:00 10-27T20:00",
  ]);
});

Deno.test("openIntervals() moves a window that begins in a gap of the clock on by the gap, and skips one inside it", () => {
  assert.deepEqual(opened("mon-sun 02:30-05:00", "Europe/Madrid", "2030-03-31", 1), [
    "03-31T01:30 03-31T03:00",
  ]);
  assert.deepEqual(opened("mon-sun 02:15-02:45", "Europe/Madrid", "2030-03-31", 1), []);
});

Deno.test("openIntervals() opens twice in an hour that happens twice", () => {
  assert.deepEqual(opened("mon-sun 02:15-02:45", "Europe/Madrid", "2030-10-27", 1), [
    "10-27T00:15 10-27T00:45",
    "10-27T01:15 10-27T01:45",
  ]);
});

Deno.test("openIntervals() joins a day that ends at midnight and one that begins there", () => {
  assert.deepEqual(opened("sat 20:00-24:00; sun 00:00-02:00", "UTC", "2030-01-05", 3), [
    "01-05T20:00 01-06T02:00",
  ]);
  assert.deepEqual(opened("mon-sun 00:00-24:00", "Asia/Kolkata", "2030-01-05", 3), [
    "01-05T00:00 01-08T00:00",
  ]);
});

Deno.test("openIntervals() knows the weekday of the zone", () => {
  // Midnight in Auckland is 11:00 in UTC of the day before.
  assert.deepEqual(opened("mon 00:00-01:00", "Pacific/Auckland", "2030-01-04", 7), [
    "01-06T11:00 01-06T12:00",
  ]);
});

Deno.test("openIntervals() leaves out days that are closed", () => {
  const range = { firstDay: Date.parse("2030-01-05T00:00:00Z") / DAY_MS, days: 2 };
  const windows = readWindows("mon-sun 10:00-11:00")!;
  const open = openIntervals({ zone: "UTC", windows, isClosed: (day) => day === range.firstDay }, range);
  assert.deepEqual(open.map(([from]) => new Date(from).toISOString().slice(0, 10)), ["2030-01-06"]);
});

const ZONES = Intl.supportedValuesOf("timeZone");
const CHANGING = [
  "Europe/Madrid",
  "America/St_Johns",
  "Australia/Lord_Howe",
  "America/Santiago",
  "Africa/Cairo",
];

const quarters = fc.integer({ min: 0, max: 96 });
const clock = (quarter: number) =>
  `${String(Math.floor(quarter / 4)).padStart(2, "0")}:${String(quarter % 4 * 15).padStart(2, "0")}`;
const windowOfDay = fc.tuple(quarters, quarters).filter(([from, until]) => from < until);

Deno.test("openIntervals() is what a clock on the wall shows, except that a window may begin later by a gap", () => {
  fc.assert(
    fc.property(
      windowOfDay,
      fc.oneof(fc.constantFrom(...ZONES), fc.constantFrom(...CHANGING)),
      fc.integer({ min: Date.UTC(2026, 0) / DAY_MS, max: Date.UTC(2033, 0) / DAY_MS }),
      ([from, until], zone, firstDay) => {
        const each: [string, string][] = [[clock(from), clock(until)]];
        const windows: WeekWindows = { mon: each, wed: each, thu: each, sat: each };
        const open = openIntervals({ zone, windows, isClosed: () => false }, { firstDay, days: 4 });

        for (let at = firstDay * DAY_MS; at < (firstDay + 4) * DAY_MS; at += QUARTER_MS) {
          const local = DateTime.fromMillis(at, { zone });
          const quarter = local.hour * 4 + Math.floor(local.minute / 15);
          const shown = [1, 3, 4, 6].includes(local.weekday) && quarter >= from && quarter < until;
          const isOpen = open.some(([begins, ends]) => begins <= at && at < ends);
          if (isOpen === shown) continue;
          const begin = local.startOf("day").set({ hour: Math.floor(from / 4), minute: from % 4 * 15 });
          const isSkipped = begin.hour * 4 + Math.floor(begin.minute / 15) !== from;
          assert.ok(!isOpen && isSkipped && at < begin.toMillis(), `${local.toISO()} ${zone} ${clock(from)}`);
        }
      },
    ),
    { numRuns: 200 },
  );
});
