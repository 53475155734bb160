import assert from "node:assert/strict";
import {
  frequencyCapsSchema,
  sendingHoursSchema,
} from "../../../supabase/functions/_shared/scheduling/sending_rules.ts";

const OWN = {
  channel: "any",
  category: "marketing",
  zone: "recipient",
  windows: { mon: [["09:00", "14:00"]] },
};

Deno.test("sendingHoursSchema takes hours of one's own and presets, and fills what is left out", () => {
  const read = sendingHoursSchema.parse([OWN, { channel: "voice", category: "all", preset: "ES" }]);

  assert.deepEqual(read, [
    { ...OWN, holidays: null },
    { channel: "voice", category: "all", zone: "recipient", preset: "ES" },
  ]);
});

const REFUSED: [string, unknown][] = [
  ["an unknown channel", { ...OWN, channel: "sms" }],
  ["an unknown category", { ...OWN, category: "utility" }],
  ["an unknown zone", { ...OWN, zone: "Europe/Madrid" }],
  ["no hours", { channel: "any", category: "all", zone: "recipient" }],
  ["hours and a preset", { ...OWN, preset: "ES" }],
  ["a preset that does not exist", { channel: "any", category: "all", preset: "XX" }],
  ["a calendar of another form", { ...OWN, holidays: ["Spain"] }],
  ["no calendars", { ...OWN, holidays: [] }],
  ["another field", { ...OWN, timezone: "UTC" }],
];

for (const [what, rule] of REFUSED) {
  Deno.test(`sendingHoursSchema refuses ${what}`, () => {
    assert.equal(sendingHoursSchema.safeParse([rule]).success, false);
  });
}

Deno.test("sendingHoursSchema takes at most 20 rules", () => {
  assert.equal(sendingHoursSchema.safeParse(Array(20).fill(OWN)).success, true);
  assert.equal(sendingHoursSchema.safeParse(Array(21).fill(OWN)).success, false);
});

Deno.test("frequencyCapsSchema takes 10 caps of at most 1,000 messages in at most 30 days", () => {
  const cap = { channel: "any", max: 1000, days: 30 };
  assert.equal(frequencyCapsSchema.safeParse(Array(10).fill(cap)).success, true);
  const refused = [{ ...cap, max: 1001 }, { ...cap, max: 0 }, { ...cap, days: 31 }, { ...cap, days: 0 }, {
    ...cap,
    max: 1.5,
  }, { ...cap, channel: "sms" }];
  for (const each of refused) {
    assert.equal(frequencyCapsSchema.safeParse([each]).success, false, JSON.stringify(each));
  }
  assert.equal(frequencyCapsSchema.safeParse(Array(11).fill(cap)).success, false);
});
