import assert from "node:assert/strict";
import {
  describeWindows,
  readWindows,
  weekWindowsSchema,
} from "../../../supabase/functions/_shared/scheduling/week_windows.ts";

Deno.test("readWindows() reads days, ranges of days and several windows", () => {
  assert.deepEqual(readWindows("mon-tue 09:00-14:00,16:00-21:00; SAT,sun 00:00-24:00"), {
    mon: [["09:00", "14:00"], ["16:00", "21:00"]],
    tue: [["09:00", "14:00"], ["16:00", "21:00"]],
    sat: [["00:00", "24:00"]],
    sun: [["00:00", "24:00"]],
  });
});

Deno.test("readWindows() lets a later part replace the days that it names", () => {
  assert.deepEqual(readWindows("mon-tue 09:00-14:00; tue 10:00-11:00"), {
    mon: [["09:00", "14:00"]],
    tue: [["10:00", "11:00"]],
  });
});

const REFUSED = [
  "",
  "mon",
  "09:00-14:00",
  "mon 09:00",
  "mon 09:00-09:00",
  "mon 14:00-09:00",
  "mon 9:00-14:00",
  "mon 09:00-24:01",
  "mon 24:00-24:00",
  "mon 09:00-14:60",
  "mon 09:00-14:00-15:00",
  "mon 09:00-14:00,13:00-15:00",
  "mon 16:00-21:00,09:00-14:00",
  "fri-mon 09:00-14:00",
  "mon-tue-wed 09:00-14:00",
  "monday 09:00-14:00",
  "mon 09:00-14:00 tue 09:00-14:00",
];

for (const text of REFUSED) {
  Deno.test(`readWindows() refuses ${JSON.stringify(text)}`, () => assert.equal(readWindows(text), null));
}

Deno.test("describeWindows() writes what readWindows() reads", () => {
  for (
    const text of [
      "mon-fri 09:00-21:00; sat 10:00-16:00",
      "mon 08:00-24:00; wed-thu 08:00-24:00",
      "sun 00:00-01:00",
    ]
  ) {
    assert.equal(describeWindows(readWindows(text)!), text);
  }
});

Deno.test("weekWindowsSchema refuses a week without windows, other days, and more than ten windows per day", () => {
  const many = Array.from({ length: 11 }, (_, hour) => [`${10 + hour}:00`, `${10 + hour}:30`]);
  for (
    const week of [{}, { mon: [] }, { monday: [["09:00", "10:00"]] }, { mon: many }, { mon: [["09:00"]] }]
  ) {
    assert.equal(weekWindowsSchema.safeParse(week).success, false, JSON.stringify(week));
  }
});
