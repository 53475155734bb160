import assert from "node:assert/strict";
import type { CappedSend } from "../../../supabase/functions/_shared/db/queue/frequency_caps.ts";
import type { Batcher } from "../../../supabase/functions/_shared/concurrency/batcher.ts";
import { overCap, postponementOf } from "../../../supabase/functions/_shared/dispatching/hours_and_caps.ts";

const NIGHT = new Date("2030-01-15T03:00:00Z");

function notification(overrides: Record<string, unknown> = {}) {
  return {
    company_id: "0193a1b2-0000-4000-8000-000000000001",
    id: "0193a1b2-0000-4000-8000-000000000002",
    number: "59171000100" as string | null,
    user_id: null as string | null,
    channel: "whatsapp" as const,
    is_marketing: true,
    timezone: null,
    sending_hours: null as unknown,
    frequency_caps: null as unknown,
    ...overrides,
  };
}

/** A counter that keeps what it was given, and responds with `verdict`. */
function counter(verdict: boolean | Error): Batcher<CappedSend, boolean> & { sends: CappedSend[] } {
  const sends: CappedSend[] = [];
  return {
    sends,
    add(send) {
      sends.push(send);
      return verdict instanceof Error ? Promise.reject(verdict) : Promise.resolve(verdict);
    },
    idle: () => Promise.resolve(),
  };
}

Deno.test("postponementOf() is null without rules, and where they are about something else", async () => {
  const ofCalls = [{ channel: "voice", category: "all", preset: "ES" }];
  for (const sending_hours of [null, [], ofCalls]) {
    assert.equal(await postponementOf(notification({ sending_hours }), NIGHT), null);
  }
});

Deno.test("postponementOf() is when the rules allow it", async () => {
  const sending_hours = [{ channel: "any", category: "marketing", preset: "recipient" }];
  const { until } = (await postponementOf(notification({ sending_hours }), NIGHT))!;

  // 08:00 in Bolivia.
  assert.equal(until?.toISOString(), "2030-01-15T12:00:00.000Z");
  assert.equal(await postponementOf(notification({ sending_hours, is_marketing: false }), NIGHT), null);
});

Deno.test("postponementOf() holds for an hour what rules or caps of an unknown form are about", async () => {
  const unknown = [{ sending_hours: [{ channel: "sms" }] }, { frequency_caps: [{ max: "many" }] }];
  for (const rules of unknown) {
    const { until } = (await postponementOf(notification(rules), NIGHT))!;
    assert.equal(until?.toISOString(), "2030-01-15T04:00:00.000Z", JSON.stringify(rules));
  }
});

const CAPS = [{ channel: "any", max: 3, days: 7 }, { channel: "voice", max: 1, days: 1 }];

Deno.test("overCap() counts marketing on the recipient's day, against the caps of its channel", async () => {
  const counted = counter(false);
  const isOver = await overCap(counted, notification({ frequency_caps: CAPS }), NIGHT);

  assert.equal(isOver, false);
  const { company_id, id: notification_id } = notification();
  const rest = { number: "59171000100", user_id: null, channel: "whatsapp", day: "2030-01-14" };
  const caps = [{ ...CAPS[0], since: new Date("2030-01-08T04:00:00Z") }];
  assert.deepEqual(counted.sends, [{ company_id, notification_id, ...rest, caps }]);
});

const DAYS: [why: string, recipient: Record<string, unknown>, now: string, day: string][] = [
  ["a user id's country", { number: null, user_id: "JP.1349" }, "2030-01-15T15:00:00Z", "2030-01-16"],
  ["just before midnight there", { number: null, user_id: "JP.1349" }, "2030-01-15T14:59:59Z", "2030-01-15"],
  [
    "the campaign's zone for a number of no country",
    {
      number: "80012345678",
      timezone: "Asia/Tokyo",
    },
    "2030-01-15T15:00:00Z",
    "2030-01-16",
  ],
  ["UTC without any", { number: "80012345678" }, "2030-01-15T23:59:59Z", "2030-01-15"],
];

for (const [why, recipient, now, day] of DAYS) {
  Deno.test(`overCap() takes the day of ${why}`, async () => {
    const counted = counter(false);
    await overCap(counted, notification({ frequency_caps: CAPS, ...recipient }), new Date(now));

    assert.equal(counted.sends[0]?.day, day);
  });
}

Deno.test("overCap() does not count what no cap is about", async () => {
  const counted = counter(true);
  const uncapped = [
    { frequency_caps: null },
    { frequency_caps: CAPS, is_marketing: false },
    { frequency_caps: CAPS.slice(1) },
  ];
  for (const each of uncapped) assert.equal(await overCap(counted, notification(each), NIGHT), false);
  assert.equal(counted.sends.length, 0);
});

Deno.test("overCap() is true over a cap, and throws while the database is away", async () => {
  const capped = notification({ frequency_caps: CAPS });

  assert.equal(await overCap(counter(true), capped, NIGHT), true);
  await assert.rejects(overCap(counter(new Error("away")), capped, NIGHT), /away/);
});
