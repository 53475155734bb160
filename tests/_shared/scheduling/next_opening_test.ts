import assert from "node:assert/strict";
import fc from "fast-check";
import { DateTime } from "luxon";
import {
  type CallingHours,
  nextOpening,
} from "../../../supabase/functions/_shared/scheduling/calling_hours.ts";

const DAY: CallingHours = { from: "08:00:00", until: "21:00:00", zone: "campaign" };

function opening(hours: CallingHours, zones: string[], now: string): string | null {
  const at = nextOpening(hours, zones, new Date(now));
  return at instanceof Date ? at.toISOString() : at;
}

Deno.test("nextOpening() is null inside the hours: from the first moment, not at the last", () => {
  assert.equal(opening(DAY, ["Europe/Madrid"], "2030-01-15T07:00:00Z"), null);
  assert.equal(opening(DAY, ["Europe/Madrid"], "2030-01-15T19:59:59.999Z"), null);
  assert.equal(opening(DAY, ["Europe/Madrid"], "2030-01-15T20:00:00Z"), "2030-01-16T07:00:00.000Z");
  assert.equal(opening(DAY, ["Europe/Madrid"], "2030-01-15T06:59:59.999Z"), "2030-01-15T07:00:00.000Z");
});

Deno.test("nextOpening() goes by the wall clock across clock changes", () => {
  // Madrid: 31 March 2030 to summer time, 27 October 2030 back.
  assert.equal(opening(DAY, ["Europe/Madrid"], "2030-03-30T22:00:00Z"), "2030-03-31T06:00:00.000Z");
  assert.equal(opening(DAY, ["Europe/Madrid"], "2030-10-26T22:00:00Z"), "2030-10-27T07:00:00.000Z");
});

Deno.test("nextOpening() moves hours that begin in a gap of the clock on by the gap", () => {
  const hours = { ...DAY, from: "02:30" };
  assert.equal(opening(hours, ["Europe/Madrid"], "2030-03-30T22:00:00Z"), "2030-03-31T01:30:00.000Z");
});

Deno.test("nextOpening() can end a day at midnight and begin one there", () => {
  const hours = { ...DAY, from: "00:00", until: "24:00:00" };
  assert.equal(opening(hours, ["Asia/Kolkata"], "2030-01-15T18:30:00Z"), null);
  assert.equal(opening({ ...hours, from: "20:00" }, ["UTC"], "2030-01-15T23:59:59Z"), null);
  assert.equal(
    opening({ ...hours, from: "20:00" }, ["UTC"], "2030-01-16T00:00:00Z"),
    "2030-01-16T20:00:00.000Z",
  );
});

Deno.test("nextOpening() of several zones is when it is inside in all of them", () => {
  const coasts = ["America/New_York", "America/Los_Angeles"];
  assert.equal(opening(DAY, coasts, "2030-01-15T13:30:00Z"), "2030-01-15T16:00:00.000Z");
  assert.equal(opening(DAY, coasts, "2030-01-15T16:30:00Z"), null);
  assert.equal(opening(DAY, coasts, "2030-01-16T02:30:00Z"), "2030-01-16T16:00:00.000Z");
});

Deno.test("nextOpening() is `never` where the zones have no hour in common", () => {
  const hours = { ...DAY, from: "09:00", until: "11:00" };
  assert.equal(opening(hours, ["Europe/Kaliningrad", "Asia/Kamchatka"], "2030-01-15T16:00:00Z"), "never");
});

const ZONES = [
  "UTC",
  "Europe/Madrid",
  "America/New_York",
  "America/St_Johns",
  "Asia/Kolkata",
  "Australia/Lord_Howe",
  "Pacific/Apia",
  "America/Santiago",
];

Deno.test("nextOpening() is inside the hours in every zone, and no earlier moment on the quarter of an hour is", () => {
  const quarters = fc.integer({ min: 0, max: 96 });
  const clock = (quarter: number) =>
    `${String(Math.floor(quarter / 4)).padStart(2, "0")}:${String(quarter % 4 * 15).padStart(2, "0")}`;
  fc.assert(fc.property(
    fc.tuple(quarters, quarters).filter(([from, until]) => from < until),
    fc.uniqueArray(fc.constantFrom(...ZONES), { minLength: 1, maxLength: 3 }),
    fc.integer({ min: Date.UTC(2029, 0) / 900_000, max: Date.UTC(2033, 0) / 900_000 }),
    ([from, until], zones, quarter) => {
      const now = new Date(quarter * 900_000);
      const hours = { from: clock(from), until: clock(until), zone: "recipient" as const };
      const isOpen = (at: number) =>
        zones.every((zone) => {
          const local = DateTime.fromMillis(at, { zone });
          const minute = local.hour * 60 + local.minute;
          return minute >= from * 15 && minute < until * 15;
        });
      const opensAt = nextOpening(hours, zones, now);
      const until3Days = Array.from({ length: 2 * 96 }, (_, step) => now.getTime() + step * 900_000);
      const first = until3Days.find(isOpen);
      if (opensAt === null) return assert.equal(first, now.getTime());
      if (opensAt === "never") return assert.equal(first, undefined);
      assert.ok(isOpen(opensAt.getTime()), `${opensAt.toISOString()} is outside`);
      // Hours that begin in a gap of the clock begin later by the gap, an hour at most.
      assert.ok(
        first !== undefined && opensAt.getTime() - first <= 3_600_000,
        `${new Date(first ?? 0).toISOString()}`,
      );
    },
  ));
});
