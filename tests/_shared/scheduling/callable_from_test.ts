import assert from "node:assert/strict";
import type { ClaimedNotification } from "../../../supabase/functions/_shared/db/dispatch_queue.ts";
import { callableFrom } from "../../../supabase/functions/_shared/scheduling/calling_hours.ts";

type Facts = Partial<Pick<ClaimedNotification, "number" | "timezone" | "calling_hours">>;

function opening(facts: Facts, now: string): string | null {
  const call = {
    number: "34600111222",
    timezone: null,
    calling_hours: null,
    ...facts,
  } as ClaimedNotification & { number: string };
  return callableFrom(call, new Date(now))?.toISOString() ?? null;
}

const BY_RECIPIENT = { from: "08:00:00", until: "21:00:00", zone: "recipient" } as const;
const BY_CAMPAIGN = { ...BY_RECIPIENT, zone: "campaign" } as const;

Deno.test("callableFrom() lets calls out at any time where there are no hours", () => {
  assert.equal(opening({}, "2030-01-15T03:00:00Z"), null);
});

Deno.test("callableFrom() goes by the recipient's country, all of it", () => {
  const calls = { calling_hours: BY_RECIPIENT, timezone: "Asia/Tokyo" };
  // 08:00 on the Canaries is 09:00 in Madrid.
  assert.equal(opening(calls, "2030-01-15T07:30:00Z"), "2030-01-15T08:00:00.000Z");
  assert.equal(
    opening({ ...calls, number: "59171000100" }, "2030-01-15T07:30:00Z"),
    "2030-01-15T12:00:00.000Z",
  );
});

Deno.test("callableFrom() goes by the campaign's zone, UTC when it has none", () => {
  assert.equal(
    opening({ calling_hours: BY_CAMPAIGN, timezone: "Asia/Tokyo" }, "2030-01-15T13:00:00Z"),
    "2030-01-15T23:00:00.000Z",
  );
  assert.equal(opening({ calling_hours: BY_CAMPAIGN }, "2030-01-15T03:00:00Z"), "2030-01-15T08:00:00.000Z");
});

Deno.test("callableFrom() goes by the campaign's zone for a number of no country, and where no hour suits a whole one", () => {
  const noon = "2030-01-15T12:00:00Z";
  assert.equal(opening({ calling_hours: BY_RECIPIENT, number: "80012345678" }, noon), null);
  const narrow = { ...BY_RECIPIENT, from: "09:00:00", until: "11:00:00" };
  const russian = { number: "79161234567", timezone: "Europe/Moscow", calling_hours: narrow };
  assert.equal(opening(russian, "2030-01-15T07:00:00Z"), null);
  assert.equal(opening(russian, noon), "2030-01-16T06:00:00.000Z");
});
