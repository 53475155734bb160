import fc from "fast-check";
import assert from "node:assert/strict";
import { DateTime } from "luxon";
import { zonesOfRecipient } from "../../../supabase/functions/_shared/scheduling/recipient_places.ts";
import { checkHours, nextAllowed } from "../../../supabase/functions/_shared/scheduling/sending_hours.ts";
import type { HoursRule } from "../../../supabase/functions/_shared/scheduling/sending_rules.ts";
import { WEEKDAYS, type Window } from "../../../supabase/functions/_shared/scheduling/week_windows.ts";

const ZONES = Intl.supportedValuesOf("timeZone");
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

const time = (quarter: number) =>
  `${String(Math.floor(quarter / 4)).padStart(2, "0")}:${String(quarter % 4 * 15).padStart(2, "0")}`;

/** Windows of a day: an even number of times in order, midnight and 24:00 among them. */
const day = fc.uniqueArray(fc.oneof(fc.integer({ min: 0, max: 96 }), fc.constantFrom(0, 96)), {
  maxLength: 6,
})
  .map((quarters): Window[] => {
    const times = quarters.toSorted((a, b) => a - b);
    return Array.from({ length: Math.floor(times.length / 2) }, (_, index) => [
      time(times[2 * index]!),
      time(times[2 * index + 1]!),
    ]);
  });

const windows = fc.tuple(...WEEKDAYS.map(() => day))
  .map((days) => Object.fromEntries(days.map((each, index) => [WEEKDAYS[index]!, each])))
  .filter((week) => Object.values(week).some((each) => each.length > 0));

const rules = fc.array(
  windows.map((week): HoursRule => ({
    channel: "any",
    category: "all",
    zone: "campaign",
    windows: week,
    holidays: null,
  })),
  { minLength: 1, maxLength: 2 },
);

/** Any moment of eight years, and often one within two days of a change of Madrid's or New York's clocks. */
const moment = fc.oneof(
  fc.integer({ min: Date.UTC(2026, 0), max: Date.UTC(2034, 0) }),
  fc.tuple(
    fc.constantFrom(
      Date.UTC(2027, 2, 28, 1),
      Date.UTC(2027, 9, 31, 1),
      Date.UTC(2027, 2, 14, 7),
      Date.UTC(2027, 10, 7, 6),
    ),
    fc.integer({ min: -2 * DAY_MS, max: 2 * DAY_MS }),
  ).map(([change, by]) => change + by),
);

Deno.test("nextAllowed() is the first allowed minute: it is allowed, the minute before is not, and it is not in the past", async () => {
  await fc.assert(
    fc.asyncProperty(rules, fc.constantFrom(...ZONES), moment, async (some, timezone, at) => {
      const subject = {
        number: "80012345678",
        user_id: null,
        channel: "voice",
        isMarketing: true,
        timezone,
      } as const;
      const now = new Date(at);
      const next = await nextAllowed(some, subject, now);
      if (next === null) return;

      assert.ok(next > now && next.getTime() - at <= 14 * DAY_MS);
      const isLast = next.getTime() - at === 14 * DAY_MS;
      if (!isLast) assert.equal(await nextAllowed(some, subject, next), null, "it is allowed");
      const before = new Date(Math.max(next.getTime() - MINUTE_MS, at));
      assert.notEqual(await nextAllowed(some, subject, before), null, "the minute before is not");
      const between = new Date(at + Math.floor((next.getTime() - at) / 2));
      if (!isLast) {
        assert.deepEqual(await nextAllowed(some, subject, between), next, "from later, it is the same");
      }
    }),
    { numRuns: 200 },
  );
});

const QUARTER_MS = 900_000;
const ONE_HOUR_MS = 3_600_000;
/** Of countries with one zone, three, and many. */
const NUMBERS = ["59171000100", "34600111222", "5511912345678", "61412345678", "12125551234", "79161234567"];

const isInside = (at: number, zone: string, [from, until]: Window) => {
  const time = DateTime.fromMillis(at, { zone }).toFormat("HH:mm");
  return time >= from && time < until;
};

Deno.test("nextAllowed() is inside the hours in every zone of the country, and no earlier quarter of an hour is", async () => {
  const quarter = fc.integer({ min: 0, max: 96 });
  const window = fc.tuple(quarter, quarter).filter(([from, until]) => from < until)
    .map(([from, until]): Window => [time(from), time(until)]);
  const quarters = fc.integer({ min: Date.UTC(2029, 0) / QUARTER_MS, max: Date.UTC(2033, 0) / QUARTER_MS });

  await fc.assert(
    fc.asyncProperty(window, fc.constantFrom(...NUMBERS), quarters, async (each, number, at) => {
      const now = at * QUARTER_MS;
      const week = Object.fromEntries(WEEKDAYS.map((name) => [name, [each]]));
      const rule: HoursRule = {
        channel: "any",
        category: "all",
        zone: "recipient",
        windows: week,
        holidays: null,
      };
      const subject = {
        number,
        user_id: null,
        channel: "voice",
        isMarketing: true,
        timezone: "UTC",
      } as const;

      const { until, by } = await checkHours([rule], subject, new Date(now));

      const zones = by === "recipient" ? zonesOfRecipient({ number, user_id: null }) : ["UTC"];
      const isOpen = (moment: number) => zones.every((zone) => isInside(moment, zone, each));
      const found = until?.getTime() ?? now;
      assert.ok(isOpen(found), `${new Date(found).toISOString()} is outside`);
      // A window that begins in a gap of the clock begins later by the gap, an hour at most.
      for (let earlier = now; earlier < found - ONE_HOUR_MS; earlier += QUARTER_MS) {
        assert.ok(!isOpen(earlier), `${new Date(earlier).toISOString()} is earlier`);
      }
    }),
    { numRuns: 200 },
  );
});
