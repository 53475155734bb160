import assert from "node:assert/strict";
import fc from "fast-check";
import { DateTime, IANAZone } from "luxon";
import {
  createZoneFinder,
  nextLocalTime,
  positionInPeriod,
  timingOf,
} from "../../../supabase/functions/_shared/scheduling/recipient_time.ts";

const NOW = Date.parse("2027-01-10T12:00:00Z");
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const ZONES = Intl.supportedValuesOf("timeZone");

const two = (value: number) => String(value).padStart(2, "0");
const moments = fc.integer({ min: 0, max: 3 * 365 * 24 * 60 }).map((minute) => NOW + minute * 60_000);
const times = fc.tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
  .map(([hour, minute]) => `${two(hour)}:${two(minute)}`);

Deno.test("nextLocalTime() is the first moment from now on at which a clock of the zone shows the time, as luxon has it", () => {
  fc.assert(
    fc.property(fc.constantFrom(...ZONES), moments, times, (zone, now, time) => {
      const at = nextLocalTime({ day: null, time }, IANAZone.create(zone), now);

      const shown = DateTime.fromMillis(at, { zone });
      const [hour, minute] = time.split(":").map(Number);
      const meant = DateTime.fromObject({ ...dateOf(shown), hour, minute }, { zone });
      assert.ok(at >= now && at - now <= DAY + 2 * HOUR, `${at - now} ms from now`);
      // In a gap luxon moves forward too; of an overlap it may choose the other one.
      const dayBefore = DateTime.fromObject({ ...dateOf(shown.minus({ days: 1 })), hour, minute }, { zone });
      const isSame = shown.toFormat("HH:mm") === time ||
        shown.toFormat("HH:mm") === meant.toFormat("HH:mm") ||
        +dayBefore === at; // a gap at midnight
      assert.ok(isSame, `${shown.toISO()} for ${time}`);
      const today = DateTime.fromMillis(now, { zone });
      const before = DateTime.fromObject({ ...dateOf(today), hour, minute }, { zone });
      // Unless it was repeated or skipped today, today's is taken if it is still to come.
      const isOnce = before.toFormat("HH:mm") === time && before.getPossibleOffsets().length === 1;
      if (isOnce && before.toMillis() >= now) {
        assert.equal(at, before.toMillis());
      }
    }),
    { numRuns: 3000, interruptAfterTimeLimit: 20_000, markInterruptAsFailure: true },
  );
});

function dateOf({ year, month, day }: DateTime) {
  return { year, month, day };
}

Deno.test("nextLocalTime() is on the day that is asked for, by the calendar of the zone, if that is still to come", () => {
  fc.assert(
    fc.property(fc.constantFrom(...ZONES), moments, times, (zone, then, time) => {
      const day = DateTime.fromMillis(then + 3 * DAY, { zone: "UTC" }).toISODate()!;
      const at = nextLocalTime({ day, time }, IANAZone.create(zone), NOW);

      const shown = DateTime.fromMillis(at, { zone });
      // A gap at midnight moves a time before it into the next hour, and never into another day than the next.
      const dates = [day, DateTime.fromISO(day).plus({ days: 1 }).toISODate()];
      assert.ok(dates.includes(shown.toISODate()), `${shown.toISO()} for ${day}`);
      if (shown.toFormat("HH:mm") === time) assert.equal(shown.toISODate(), day);
    }),
    { numRuns: 2000, interruptAfterTimeLimit: 20_000, markInterruptAsFailure: true },
  );
});

const CASES: [why: string, day: string | null, time: string, zone: string, now: string, at: string][] = [
  ["a day", "2027-07-01", "09:00", "Europe/Madrid", "2027-01-10T12:00Z", "2027-07-01T07:00Z"],
  ["today", null, "15:30", "Asia/Kolkata", "2027-01-10T09:00Z", "2027-01-10T10:00Z"],
  [
    "tomorrow, once it has passed",
    null,
    "09:00",
    "Europe/Madrid",
    "2027-01-10T08:00:01Z",
    "2027-01-11T08:00Z",
  ],
  ["this very moment", null, "09:00", "Europe/Madrid", "2027-01-10T08:00Z", "2027-01-10T08:00Z"],
  [
    "the next day where the day's has passed",
    "2027-01-10",
    "09:00",
    "Pacific/Auckland",
    "2027-01-10T12:00Z",
    "2027-01-10T20:00Z",
  ],
  ["today for a day of the past", "2026-12-01", "18:00", "UTC", "2027-01-10T12:00Z", "2027-01-10T18:00Z"],
  ["after a gap", "2027-03-28", "02:30", "Europe/Madrid", "2027-01-10T12:00Z", "2027-03-28T01:30Z"],
  [
    "the first of an overlap",
    "2027-10-31",
    "02:30",
    "Europe/Madrid",
    "2027-01-10T12:00Z",
    "2027-10-31T00:30Z",
  ],
  ["with seconds", "2027-06-01", "9:00:30", "America/New_York", "2027-01-10T12:00Z", "2027-06-01T13:00:30Z"],
];

for (const [why, day, time, zone, now, at] of CASES) {
  Deno.test(`nextLocalTime() takes ${why}`, () => {
    const found = nextLocalTime({ day, time }, IANAZone.create(zone), Date.parse(now));

    assert.equal(new Date(found).toISOString(), new Date(at).toISOString());
  });
}

const NO_NAMES = { contact: undefined, stored: undefined, request: undefined };

const FOUND: [why: string, number: string, names: object, zone: string, source: string][] = [
  ["the contact's", "34600111222", { contact: "Asia/Tokyo", stored: "UTC" }, "Asia/Tokyo", "contact"],
  ["the stored one", "34600111222", { contact: "nowhere", stored: "America/Lima" }, "America/Lima", "stored"],
  ["the number's", "491511234567", {}, "Europe/Berlin", "number"],
  [
    "the request's, if the country has it",
    "12125550100",
    { request: "America/Chicago" },
    "America/Chicago",
    "number",
  ],
  ["the last one of the country", "12125550100", { request: "Europe/Madrid" }, "Pacific/Honolulu", "number"],
  [
    "the request's, for a number of no country",
    "80012345678",
    { request: "Europe/Madrid" },
    "Europe/Madrid",
    "request",
  ],
  ["UTC where nothing is known", "80012345678", {}, "UTC", "request"],
];

for (const [why, number, names, zone, source] of FOUND) {
  Deno.test(`a recipient's zone is ${why}`, () => {
    const found = createZoneFinder(NOW)({ number, user_id: null }, { ...NO_NAMES, ...names });

    assert.deepEqual([found.zone.offset(NOW), found.source], [IANAZone.create(zone).offset(NOW), source]);
  });
}

Deno.test("timingOf() leaves what is not of our form to the client", () => {
  assert.deepEqual(timingOf({ recipient_time: "9:05", spread_over: "PT2H" }), {
    recipient_time: "9:05",
    spread_over: "PT2H",
  });
  assert.deepEqual(timingOf({ recipient_time: "soon", spread_over: "P1D" }), { spread_over: "P1D" });
  for (const spread of ["2h", "PT0S", "P8D", "PT-1H", "", 7, null, { h: 2 }]) {
    assert.equal(timingOf({ spread_over: spread }), null, String(spread));
  }
  for (const time of ["24:00", "9", "09:60", "9 am", "09:00:61", 9, null]) {
    assert.equal(timingOf({ recipient_time: time }), null, String(time));
  }
});

Deno.test("positionInPeriod() is the same for an address always, and fills a period evenly", () => {
  const counts = new Array<number>(20).fill(0);
  for (let i = 0; i < 20_000; i++) counts[Math.floor(positionInPeriod(String(34_600_000_000 + i)) * 20)]!++;

  assert.equal(positionInPeriod("34600111222"), positionInPeriod("34600111222"));
  for (const count of counts) assert.ok(count > 800 && count < 1200, counts.join());
});
