import assert from "node:assert/strict";
import fc from "fast-check";
import { IANAZone } from "luxon";
import { AppError } from "../../../supabase/functions/_shared/errors.ts";
import { dueTime } from "../../../supabase/functions/_shared/scheduling/due_time.ts";

const NOW = new Date("2027-01-10T12:00:00Z");
const ZONES = Intl.supportedValuesOf("timeZone");
const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;

Deno.test("dueTime() is null without a time", () => {
  assert.equal(dueTime(undefined, undefined, NOW), null);
  assert.equal(dueTime(undefined, "Europe/Madrid", NOW), null);
});

const READ: [why: string, time: string, zone: string | undefined, instant: string][] = [
  ["UTC by default", "2027-01-10T12:00:01", undefined, "2027-01-10T12:00:01.000Z"],
  ["a zone east of UTC", "2027-07-01T09:00:00", "Asia/Kolkata", "2027-07-01T03:30:00.000Z"],
  ["a zone written in another case", "2027-07-01T09:00:00", "europe/madrid", "2027-07-01T07:00:00.000Z"],
  ["the zone furthest east", "2027-01-11T02:00:01", "Pacific/Kiritimati", "2027-01-10T12:00:01.000Z"],
  ["a leap day", "2028-02-29T00:00:00", "UTC", "2028-02-29T00:00:00.000Z"],
  ["just before a gap", "2027-03-28T01:59:59", "Europe/Madrid", "2027-03-28T00:59:59.000Z"],
  ["the first second of a gap", "2027-03-28T02:00:00", "Europe/Madrid", "2027-03-28T01:00:00.000Z"],
  ["inside a gap", "2027-03-28T02:30:00", "Europe/Madrid", "2027-03-28T01:30:00.000Z"],
  ["the end of a gap", "2027-03-28T03:00:00", "Europe/Madrid", "2027-03-28T01:00:00.000Z"],
  ["inside an overlap", "2027-10-31T02:30:00", "Europe/Madrid", "2027-10-31T00:30:00.000Z"],
  ["after an overlap", "2027-10-31T03:00:00", "Europe/Madrid", "2027-10-31T02:00:00.000Z"],
  ["inside a gap many years away", "2099-03-29T02:30:00", "Europe/Madrid", "2099-03-29T01:30:00.000Z"],
  ["inside an overlap many years away", "2099-10-25T02:30:00", "Europe/Madrid", "2099-10-25T00:30:00.000Z"],
  ["a gap west of UTC", "2027-03-14T02:15:00", "America/New_York", "2027-03-14T07:15:00.000Z"],
  ["an overlap west of UTC", "2027-11-07T01:15:00", "America/New_York", "2027-11-07T05:15:00.000Z"],
  ["a gap of half an hour", "2027-10-03T02:10:00", "Australia/Lord_Howe", "2027-10-02T15:40:00.000Z"],
];

for (const [why, time, zone, instant] of READ) {
  Deno.test(`dueTime() reads ${why}: ${time} ${zone}`, () => {
    assert.equal(dueTime(time, zone, NOW)?.toISOString(), instant);
  });
}

Deno.test("dueTime() ends with the year 9999 in UTC", () => {
  const last = "9999-12-31T23:59:59";

  assert.equal(dueTime(last, "UTC", NOW)?.toISOString(), `${last}.000Z`);
  assert.throws(() => dueTime(last, "America/New_York", NOW), /expected a time before the end of 9999 UTC/);
});

const BAD_TIMES = [
  "",
  "tomorrow",
  "2027-02-30T10:00:00",
  "2027-02-29T10:00:00",
  "2027-13-01T10:00:00",
  "2027-00-10T10:00:00",
  "2027-06-01T24:00:00",
  "2027-06-01T23:60:00",
  "2027-06-01T23:59:60",
  "2027-06-01T10:00",
  "2027-06-01 10:00:00",
  "2027-06-01t10:00:00",
  "2027-06-01T10:00:00Z",
  "2027-06-01T10:00:00+02:00",
  "2027-06-01T10:00:00.000",
  "+012027-06-01T10:00:00",
  "2027-6-1T10:00:00",
  "2027-06-01T10:00:00\n",
  "٢٠٢٧-06-01T10:00:00",
];

for (const time of BAD_TIMES) {
  Deno.test(`dueTime() refuses the time ${JSON.stringify(time)}`, () => {
    const error = refusal(() => dueTime(time, "UTC", NOW));

    assert.equal(error.details?.field, "datetime_sending");
    assert.deepEqual(Object.keys(error.details ?? {}), ["field", "provided", "expected_format"]);
  });
}

for (
  const time of ["2027-01-10T12:00:00", "2027-01-10T11:59:59", "1999-01-01T00:00:00", "0000-01-01T00:00:00"]
) {
  Deno.test(`dueTime() refuses ${time}, which is not in the future`, () => {
    const error = refusal(() => dueTime(time, "UTC", NOW));

    assert.equal(error.message, "'datetime_sending' must be in the future");
    assert.equal(error.details?.field, "datetime_sending");
    assert.equal(error.details?.provided, time);
  });
}

const BAD_ZONES = [
  "",
  "Mars/Olympus",
  "+02:00",
  "-0300",
  "+02",
  "UTC+3",
  "GMT+1",
  "Z",
  "local",
  "system",
  " UTC",
  "UTC\0",
];

for (const zone of BAD_ZONES) {
  Deno.test(`dueTime() refuses the zone ${JSON.stringify(zone)}, with a time and without`, () => {
    for (const time of [undefined, "2027-06-01T10:00:00"]) {
      assert.equal(refusal(() => dueTime(time, zone, NOW)).details?.field, "timezone");
    }
  });
}

Deno.test("dueTime() finds an instant again from its wall-clock time, or the first of two, in any zone", () => {
  const instant = fc.integer({ min: 1, max: 10 * 365 * 24 * 3600 }).map((s) => NOW.getTime() + s * 1000);

  fc.assert(
    fc.property(fc.constantFrom(...ZONES), instant, (zone, at) => {
      const due = dueTime(wallClock(at, zone), zone, NOW)!.getTime();
      assert.ok(due <= at, "never the second of two");
      assert.equal(wallClock(due, zone), wallClock(at, zone));
      assert.ok(due === at || at - due <= DAY);
    }),
    { numRuns: 3000, interruptAfterTimeLimit: 20_000, markInterruptAsFailure: true },
  );
});

Deno.test("dueTime() moves forward by the gap and takes the first of an overlap, at every change of every zone", () => {
  const changes = ZONES.flatMap((zone) => changesOf(zone, Date.UTC(2027, 0, 11), 400));

  for (const { zone, at, shift } of changes) {
    const lastBefore = wallClockMs(at - 1000, zone) + 1000;
    const middle = lastBefore + (shift > 0 ? shift / 2 : -Math.abs(shift) / 2);
    const due = dueTime(new Date(middle).toISOString().slice(0, 19), zone, NOW)!.getTime();
    if (shift > 0) assert.equal(wallClockMs(due, zone), middle + shift, `gap in ${zone}`);
    else assert.equal(due, at + shift / 2, `overlap in ${zone}`);
  }
  assert.ok(changes.some(({ shift }) => shift > 0) && changes.some(({ shift }) => shift < 0));
});

interface Change {
  zone: string;
  /** The first instant of the new offset. */
  at: number;
  /** How far the clocks jump, in milliseconds. */
  shift: number;
}

function changesOf(zone: string, from: number, days: number): Change[] {
  const changes: Change[] = [];
  for (let day = 0; day < days; day++) {
    const start = from + day * DAY;
    const shift = offset(start + DAY, zone) - offset(start, zone);
    if (shift !== 0) changes.push({ zone, at: changeBetween(start, start + DAY, zone), shift });
  }
  return changes;
}

function changeBetween(start: number, end: number, zone: string): number {
  let [low, high] = [start, end];
  while (high - low > 1000) {
    const middle = low + Math.floor((high - low) / 2000) * 1000;
    if (offset(middle, zone) === offset(start, zone)) low = middle;
    else high = middle;
  }
  return high;
}

function offset(instant: number, zone: string): number {
  return IANAZone.create(zone).offset(instant) * 60_000;
}

function wallClockMs(instant: number, zone: string): number {
  return instant + offset(instant, zone);
}

function wallClock(instant: number, zone: string): string {
  return new Date(wallClockMs(instant, zone)).toISOString().slice(0, 19);
}

function refusal(run: () => unknown): AppError {
  try {
    run();
  } catch (error) {
    assert.ok(error instanceof AppError, String(error));
    assert.equal(error.code, "validation_failed");
    return error;
  }
  throw new assert.AssertionError({ message: "nothing was refused" });
}
