import assert from "node:assert/strict";
import {
  checkHours,
  type HoursSubject,
  nextAllowed,
} from "../../../supabase/functions/_shared/scheduling/sending_hours.ts";
import type { HoursRule } from "../../../supabase/functions/_shared/scheduling/sending_rules.ts";
import { readWindows } from "../../../supabase/functions/_shared/scheduling/week_windows.ts";

const SPANISH = "34600111222";
const BOLIVIAN = "59171000100";

function rule(windows: string, overrides: Partial<HoursRule> = {}): HoursRule {
  const own = { zone: "recipient", windows: readWindows(windows)!, holidays: null } as const;
  return { channel: "any", category: "all", ...own, ...overrides } as HoursRule;
}

const BY_RECIPIENT = rule("mon-sun 08:00-21:00");
const BY_CAMPAIGN = rule("mon-sun 08:00-21:00", { zone: "campaign" });

function subject(overrides: Partial<HoursSubject> = {}): HoursSubject {
  return {
    number: SPANISH,
    user_id: null,
    channel: "voice",
    isMarketing: true,
    timezone: null,
    ...overrides,
  };
}

async function next(
  rules: HoursRule | HoursRule[],
  overrides: Partial<HoursSubject>,
  now: string,
): Promise<string | null> {
  const at = await nextAllowed([rules].flat(), subject(overrides), new Date(now));
  return at?.toISOString() ?? null;
}

Deno.test("nextAllowed() allows any time where there are no rules", async () => {
  assert.equal(await next([], {}, "2030-01-15T03:00:00Z"), null);
});

Deno.test("nextAllowed() is null inside the hours: from the first moment, not at the last", async () => {
  const inMadrid = { timezone: "Europe/Madrid" };
  assert.equal(await next(BY_CAMPAIGN, inMadrid, "2030-01-15T07:00:00Z"), null);
  assert.equal(await next(BY_CAMPAIGN, inMadrid, "2030-01-15T19:59:59.999Z"), null);
  assert.equal(await next(BY_CAMPAIGN, inMadrid, "2030-01-15T20:00:00Z"), "2030-01-16T07:00:00.000Z");
  assert.equal(await next(BY_CAMPAIGN, inMadrid, "2030-01-15T06:59:59.999Z"), "2030-01-15T07:00:00.000Z");
});

Deno.test("nextAllowed() goes by the recipient's country, all of it", async () => {
  // 08:00 on the Canaries is 09:00 in Madrid.
  const tokyo = { timezone: "Asia/Tokyo" };
  assert.equal(await next(BY_RECIPIENT, tokyo, "2030-01-15T07:30:00Z"), "2030-01-15T08:00:00.000Z");
  assert.equal(
    await next(BY_RECIPIENT, { ...tokyo, number: BOLIVIAN }, "2030-01-15T07:30:00Z"),
    "2030-01-15T12:00:00.000Z",
  );
});

Deno.test("nextAllowed() goes by the country of a user id where there is no number", async () => {
  const hidden = { number: null, user_id: "BO.1349" };
  assert.equal(await next(BY_RECIPIENT, hidden, "2030-01-15T07:30:00Z"), "2030-01-15T12:00:00.000Z");
});

Deno.test("nextAllowed() goes by the campaign's zone, UTC when it has none", async () => {
  assert.equal(
    await next(BY_CAMPAIGN, { timezone: "Asia/Tokyo" }, "2030-01-15T13:00:00Z"),
    "2030-01-15T23:00:00.000Z",
  );
  assert.equal(await next(BY_CAMPAIGN, {}, "2030-01-15T03:00:00Z"), "2030-01-15T08:00:00.000Z");
});

Deno.test("nextAllowed() goes by the campaign's zone for a number of no country, and where no hour suits a whole one", async () => {
  const noon = "2030-01-15T12:00:00Z";
  assert.equal(await next(BY_RECIPIENT, { number: "80012345678" }, noon), null);
  const narrow = rule("mon-sun 09:00-11:00");
  const russian = { number: "79161234567", timezone: "Europe/Moscow" };
  assert.equal(await next(narrow, russian, "2030-01-15T07:00:00Z"), null);
  assert.equal(await next(narrow, russian, noon), "2030-01-16T06:00:00.000Z");
});

Deno.test("nextAllowed() of a country with several zones is when it is inside in all of them", async () => {
  // From Honolulu at 08:00 (18:00 in UTC) to the east coast at 21:00 (02:00).
  const american = { number: "12125551234" };
  assert.equal(await next(BY_RECIPIENT, american, "2030-01-15T16:30:00Z"), "2030-01-15T18:00:00.000Z");
  assert.equal(await next(BY_RECIPIENT, american, "2030-01-15T18:30:00Z"), null);
  assert.equal(await next(BY_RECIPIENT, american, "2030-01-16T02:30:00Z"), "2030-01-16T18:00:00.000Z");
});

Deno.test("nextAllowed() opens in each of several windows, and passes days without one", async () => {
  // 18 January 2030 is a Friday.
  const siesta = rule("mon-fri 09:00-14:00,16:00-21:00", { zone: "campaign" });
  assert.equal(await next(siesta, {}, "2030-01-18T14:00:00Z"), "2030-01-18T16:00:00.000Z");
  assert.equal(await next(siesta, {}, "2030-01-18T20:59:00Z"), null);
  assert.equal(await next(siesta, {}, "2030-01-18T21:00:00Z"), "2030-01-21T09:00:00.000Z");
});

Deno.test("nextAllowed() can end a day at midnight and begin one there", async () => {
  const all = rule("mon-sun 00:00-24:00", { zone: "campaign" });
  const late = rule("mon-sun 20:00-24:00", { zone: "campaign" });
  assert.equal(await next(all, { timezone: "Asia/Kolkata" }, "2030-01-15T18:30:00Z"), null);
  assert.equal(await next(late, {}, "2030-01-15T23:59:59Z"), null);
  assert.equal(await next(late, {}, "2030-01-16T00:00:00Z"), "2030-01-16T20:00:00.000Z");
});

Deno.test("nextAllowed() moves hours that begin in a gap of the clock on by the gap", async () => {
  const early = rule("mon-sun 02:30-21:00", { zone: "campaign" });
  const inMadrid = { timezone: "Europe/Madrid" };
  assert.equal(await next(early, inMadrid, "2030-03-30T22:00:00Z"), "2030-03-31T01:30:00.000Z");
});

Deno.test("nextAllowed() needs all rules to allow the moment", async () => {
  const rules = [
    rule("mon-sun 08:00-12:00", { zone: "campaign" }),
    rule("mon-sun 10:00-20:00", { zone: "campaign" }),
  ];
  assert.equal(await next(rules, {}, "2030-01-15T09:00:00Z"), "2030-01-15T10:00:00.000Z");
  assert.equal(await next(rules, {}, "2030-01-15T12:00:00Z"), "2030-01-16T10:00:00.000Z");
});

Deno.test("nextAllowed() looks only at rules of the notification's channel and category", async () => {
  const night = "2030-01-15T03:00:00Z";
  const opening = "2030-01-15T08:00:00.000Z";
  const cases: [HoursRule["channel"], HoursRule["category"], Partial<HoursSubject>, string | null][] = [
    ["voice", "all", { channel: "voice", isMarketing: false }, opening],
    ["voice", "all", { channel: "whatsapp" }, null],
    ["whatsapp", "all", { channel: "voice" }, null],
    ["any", "marketing", { channel: "whatsapp" }, opening],
    ["any", "marketing", { channel: "whatsapp", isMarketing: false }, null],
  ];
  for (const [channel, category, overrides, expected] of cases) {
    const limited = rule("mon-sun 08:00-21:00", { zone: "campaign", channel, category });
    assert.equal(await next(limited, overrides, night), expected, `${channel} ${category}`);
  }
});

Deno.test("nextAllowed() is closed on the holidays of a calendar, of a part of a country, or of the recipient's country", async () => {
  // 6 January 2027 is a Wednesday, and a holiday in Spain; 2 May is one in Madrid alone.
  const epiphany = "2027-01-06T12:00:00Z";
  const [ofSpain, ofRecipient] = [["ES"], "recipient" as const].map((holidays) =>
    rule("mon-sun 08:00-21:00", { zone: "campaign", holidays } as Partial<HoursRule>)
  );
  assert.equal(await next(ofSpain!, { number: BOLIVIAN }, epiphany), "2027-01-07T08:00:00.000Z");
  assert.equal(await next(ofRecipient!, {}, epiphany), "2027-01-07T08:00:00.000Z");
  assert.equal(await next(ofRecipient!, { number: BOLIVIAN }, epiphany), null);
  const ofMadrid = rule(
    "mon-sun 08:00-21:00",
    { zone: "campaign", holidays: ["ES-MD"] } as Partial<HoursRule>,
  );
  assert.equal(await next(ofMadrid, {}, "2028-05-02T12:00:00Z"), "2028-05-03T08:00:00.000Z");
  assert.equal(await next(ofSpain!, {}, "2028-05-02T12:00:00Z"), null);
});

Deno.test("nextAllowed() takes the hours of a preset's country, or of each recipient's own", async () => {
  // 9 January 2027 is a Saturday.
  const saturday = "2027-01-09T12:00:00Z";
  const preset = (name: "ES" | "recipient"): HoursRule => ({
    channel: "any",
    category: "all",
    zone: "recipient",
    preset: name,
  });
  assert.equal(await next(preset("ES"), {}, saturday), "2027-01-11T09:00:00.000Z");
  assert.equal(await next(preset("recipient"), {}, saturday), "2027-01-11T09:00:00.000Z");
  assert.equal(await next(preset("recipient"), { number: BOLIVIAN }, saturday), null);
  assert.equal(
    await next(preset("recipient"), { number: BOLIVIAN }, "2027-01-10T00:00:00Z"),
    "2027-01-10T12:00:00.000Z",
  );
});

Deno.test("nextAllowed() has other hours for calls than for messages where a preset does", async () => {
  const french = { number: "33612345678" };
  const preset: HoursRule = { channel: "any", category: "all", zone: "campaign", preset: "FR" };
  const lunch = "2027-01-08T13:30:00Z";
  assert.equal(await next(preset, { ...french, channel: "voice" }, lunch), "2027-01-08T14:00:00.000Z");
  assert.equal(await next(preset, { ...french, channel: "whatsapp" }, lunch), null);
});

Deno.test("checkHours() holds for 14 days what contradicting rules never allow, and says by whose clock", async () => {
  const now = new Date("2030-01-15T12:00:00Z");
  const contradicting = [rule("mon 08:00-12:00"), rule("tue 08:00-12:00")];
  const verdicts = [
    await checkHours([], subject(), now),
    await checkHours([BY_RECIPIENT], subject(), now),
    await checkHours([BY_RECIPIENT], subject({ number: "80012345678" }), now),
    await checkHours(contradicting, subject({ number: BOLIVIAN }), now),
  ];
  assert.deepEqual(verdicts, [
    { until: null, by: "none", countries: [] },
    { until: null, by: "recipient", countries: ["ES"] },
    { until: null, by: "campaign", countries: [] },
    { until: new Date("2030-01-29T12:00:00Z"), by: "never", countries: ["BO"] },
  ]);
});
