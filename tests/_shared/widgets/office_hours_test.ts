import assert from "node:assert/strict";
import fc from "fast-check";
import { DateTime } from "luxon";
import { openTimes } from "../../../supabase/functions/_shared/widgets/office_hours.ts";
import type { Weekday, WeekWindows } from "../../../supabase/functions/_shared/scheduling/week_windows.ts";

const WORKDAYS: WeekWindows = Object.fromEntries(
  ["mon", "tue", "wed", "thu", "fri"].map((day) => [day, [["09:00", "18:00"]]]),
);

const office = (zone: string, days: WeekWindows, holidays: string[] = []) => ({
  timezone: zone,
  days,
  holidays,
});

/** The first times, by the clock on the wall of the zone. */
function wallTimes(zone: string, at: string, holidays: string[] = []): string[] {
  const now = DateTime.fromISO(at, { zone }).toJSDate();
  return openTimes(office(zone, WORKDAYS, holidays), now).slice(0, 2).map(({ from, until }) =>
    `${DateTime.fromISO(from, { zone }).toFormat("ccc d HH:mm")}-${
      DateTime.fromISO(until, { zone }).toFormat("HH:mm")
    }`
  );
}

Deno.test("openTimes() begins with the time that is going on, and goes on after a weekend and a holiday", () => {
  assert.deepEqual(wallTimes("Europe/Madrid", "2026-12-03T10:00"), [
    "Thu 3 09:00-18:00",
    "Fri 4 09:00-18:00",
  ]);
  assert.deepEqual(wallTimes("Europe/Madrid", "2026-12-04T18:00", ["2026-12-08"]), [
    "Mon 7 09:00-18:00",
    "Wed 9 09:00-18:00",
  ]);
});

Deno.test("openTimes() goes by the wall clock across a clock change", () => {
  // Madrid: back on Sunday 25 October 2026, forward on Sunday 28 March 2027.
  assert.deepEqual(wallTimes("Europe/Madrid", "2026-10-23T20:00"), [
    "Mon 26 09:00-18:00",
    "Tue 27 09:00-18:00",
  ]);
  assert.deepEqual(wallTimes("Europe/Madrid", "2027-03-26T20:00"), [
    "Mon 29 09:00-18:00",
    "Tue 30 09:00-18:00",
  ]);
});

Deno.test("openTimes() returns none where all days of a month are holidays", () => {
  const days = Array.from(
    { length: 40 },
    (_, day) => DateTime.utc(2026, 12, 1).plus({ days: day }).toISODate(),
  );
  assert.deepEqual(wallTimes("Asia/Tokyo", "2026-12-01T10:00", days), []);
});

const ZONES = [
  "Europe/Madrid",
  "America/New_York",
  "Australia/Lord_Howe",
  "Asia/Kathmandu",
  "Africa/Casablanca",
];
const WEEKDAYS: Weekday[] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

Deno.test("openTimes() is open exactly when the clock on the wall says so, in order, and never in the past", () => {
  const at = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2029, 0, 1) });
  const hour = fc.integer({ min: 4, max: 23 });
  fc.assert(
    fc.property(fc.constantFrom(...ZONES), at, hour, hour, (zone, ms, one, other) => {
      fc.pre(one !== other);
      const pad = (value: number) => `${String(value).padStart(2, "0")}:00`;
      const window: [string, string] = [pad(Math.min(one, other)), pad(Math.max(one, other))];
      const days = { tue: [window], fri: [window], sun: [window] };
      const holiday = DateTime.fromMillis(ms, { zone }).plus({ days: 3 }).toISODate()!;
      const times = openTimes(office(zone, days, [holiday]), new Date(ms));

      const edges = times.flatMap(({ from, until }) => [Date.parse(from), Date.parse(until)]);
      assert.deepEqual(edges, edges.toSorted((a, b) => a - b));
      assert.ok(Date.parse(times[0]!.until) > ms);
      for (let step = 0; step < 14 * 24; step++) {
        const then = ms + step * 3_600_000;
        const wall = DateTime.fromMillis(then, { zone });
        const name = WEEKDAYS[wall.weekday - 1]!;
        const clock = wall.toFormat("HH:mm");
        const expected = name in days && wall.toISODate() !== holiday && clock >= window[0] &&
          clock < window[1];
        const isOpen = times.some(({ from, until }) => then >= Date.parse(from) && then < Date.parse(until));
        assert.equal(isOpen, expected, `${zone} ${wall.toISO()}`);
      }
    }),
    { numRuns: 60 },
  );
});
