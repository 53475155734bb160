import assert from "node:assert/strict";
import { instantOf, timeIn } from "../../console/data/zoned_time.ts";
import { resendable, shownStatus, stepsOf } from "../../console/screens/campaign/steps.ts";
import type { CampaignDetails, Failures } from "../../console/data/sdk.ts";
import { loadWords } from "../../console/i18n/words.ts";

await loadWords("en");

Deno.test("a time of a zone becomes a moment and comes back, also where clocks change", () => {
  const cases: [time: string, zone: string, at: string][] = [
    ["2030-01-31T09:00", "Europe/Madrid", "2030-01-31T08:00:00Z"],
    ["2030-07-31T09:00", "Europe/Madrid", "2030-07-31T07:00:00Z"],
    ["2030-03-31T03:30", "Europe/Madrid", "2030-03-31T01:30:00Z"],
    ["2030-01-31T00:15", "America/Bogota", "2030-01-31T05:15:00Z"],
    ["2030-01-31T09:00", "UTC", "2030-01-31T09:00:00Z"],
  ];
  for (const [time, zone, at] of cases) {
    assert.equal(instantOf(time, zone), Date.parse(at), `${time} ${zone}`);
    assert.equal(timeIn(zone, at), time);
  }
});

const failure = {
  status: "failed" as const,
  resent: 0,
  meaning: "",
  what_to_do: "",
  examples: [] as string[],
};
const FAILURES: Failures["failures"] = [
  { ...failure, code: "busy", count: 3, can_pass: true, resent: 1 },
  { ...failure, code: "no_answer", count: 2, can_pass: true },
  { ...failure, code: "131026", count: 9, can_pass: false },
];

Deno.test("a campaign of calls is not shown as completed while phones ring", () => {
  const calls = { channel: "voice", status: "completed", wait: null, sent: 3, delivered: 2 } as const;
  assert.equal(shownStatus(calls), "ringing");
  assert.equal(shownStatus({ ...calls, delivered: 3 }), "completed");
  assert.equal(shownStatus({ ...calls, status: "sending" }), "sending");
  assert.equal(shownStatus({ ...calls, channel: "whatsapp" }), "completed");
});

Deno.test("a resend goes to those alone whose failure can pass, and once", () => {
  assert.equal(resendable(FAILURES), 4);
  assert.equal(resendable([]), 0);
});

Deno.test("stepsOf() takes shares of what was sent, and of calls of those that were made", () => {
  const counters = { campaign_id: "1", total: 20, sent: 6, delivered: 5, read: 2, replied: 1, failed: 14 };
  const shown = (channel: "whatsapp" | "voice") =>
    stepsOf({ ...counters, channel } as CampaignDetails, FAILURES)
      .map(({ name, value, of }) => [name, value, of?.value]);

  assert.deepEqual(shown("whatsapp"), [
    ["Accepted", 20, undefined],
    ["Sent", 6, 20],
    ["Delivered", 5, 6],
    ["Read", 2, 6],
    ["Replied", 1, 6],
  ]);
  assert.deepEqual(shown("voice"), [
    ["Accepted", 20, undefined],
    ["Called", 20, 20],
    ["Ringing or talking", 1, 20],
    ["Picked up", 5, 20],
    ["Line was busy", 3, 20],
    ["Not answered", 2, 20],
  ]);
});
