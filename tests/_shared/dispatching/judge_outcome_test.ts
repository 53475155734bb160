import assert from "node:assert/strict";
import type { ClaimedNotification } from "../../../supabase/functions/_shared/db/queue/dispatch_queue.ts";
import {
  judgeOutcome,
  postponed,
  refuseByTemplate,
  releasedUntried,
} from "../../../supabase/functions/_shared/dispatching/judge_outcome.ts";
import type { ErrorAction, SendOutcome } from "../../../supabase/functions/_shared/gateways/send_outcome.ts";

const STARTED = new Date("2030-01-01T00:00:00Z");

function claimed(overrides: Partial<ClaimedNotification> = {}): ClaimedNotification {
  return {
    company_id: "c",
    id: "n",
    fence: 3,
    attempt: 1,
    waited_s: 0,
    number: "34600111222",
    user_id: null,
    message: [],
    expires_at: STARTED,
    campaign_id: "g",
    sender_id: "s",
    channel: "whatsapp",
    platform_id: "1",
    token_sealed: null,
    template_id: "t",
    template_name: "hello",
    template_language: "en",
    name_event: null,
    template_status: "approved",
    template_changed: false,
    is_marketing: false,
    sending_hours: null,
    frequency_caps: null,
    timezone: null,
    trace: null,
    agent_disabled: false,
    was_unreachable: false,
    test_account: null,
    by_marketing_endpoint: false,
    ...overrides,
  };
}

function judge(outcome: SendOutcome, overrides: Partial<ClaimedNotification> = {}) {
  return judgeOutcome({ notification: claimed(overrides), startedAt: STARTED, outcome, random: 0.5 });
}

function refused(action: ErrorAction, retryAfterS?: number): SendOutcome {
  const refusal = { kind: "refused" as const, action, code: 131000, httpStatus: 400, reason: "Because" };
  return retryAfterS === undefined ? refusal : { ...refusal, retryAfterS };
}

Deno.test("judgeOutcome() records which attempt it was and when it started", () => {
  const { result } = judge({
    kind: "accepted",
    platformMessageId: "wamid.1",
    httpStatus: 200,
    platformNumber: null,
  });

  assert.deepEqual(result, {
    company_id: "c",
    id: "n",
    fence: 3,
    attempt: 1,
    started_at: STARTED.toISOString(),
    outcome: "sent",
    http_status: 200,
    error_code: null,
    reason: null,
    platform_message_id: "wamid.1",
    retry_in_s: null,
  });
});

Deno.test("judgeOutcome() says for each outcome what happens to the message, its sender and its template", () => {
  const table: [SendOutcome, string, string | undefined, boolean][] = [
    [
      { kind: "accepted", platformMessageId: "w", httpStatus: 200, platformNumber: null },
      "sent",
      "reached",
      false,
    ],
    [{ kind: "unknown", httpStatus: null, reason: "Timeout" }, "unknown", "unreachable", false],
    [{ kind: "not_sent", reason: "No line" }, "not_sent", "unreachable", false],
    [refused("retry"), "retry", "reached", false],
    [refused("retry_recipient"), "retry", "reached", false],
    [refused("slow_sender"), "not_sent", "slow_down", false],
    [refused("wait_for_slot"), "not_sent", "slow_down", false],
    [refused("fail"), "failed", "reached", false],
    [refused("check_template"), "failed", "reached", false],
    [refused("stop_template"), "not_sent", "reached", true],
    [refused("stop_sender"), "not_sent", "stop", false],
    [refused("lock_sender"), "not_sent", "stop", false],
  ];
  for (const [outcome, expected, change, stopsTemplate] of table) {
    const { result, sender, template } = judge(outcome);

    assert.deepEqual([result.outcome, sender?.change, template !== null], [expected, change, stopsTemplate]);
  }
});

Deno.test("judgeOutcome() reports another alias of the recipient's number, by the rules of its country", () => {
  const spelt = (number: string, platformNumber: string | null) =>
    judge(
      { kind: "accepted", platformMessageId: "w", httpStatus: 200, platformNumber },
      { number },
    ).alias?.platform_number;
  const same = [
    ["525512345678", "5215512345678"],
    ["5215512345678", "525512345678"],
    ["541123456789", "5491123456789"],
    ["5511987654321", "551187654321"],
    ["22997123456", "2290197123456"],
  ] as const;
  const others = [
    ["34600111222", "34600111222"],
    ["34600111222", "34600111333"],
    ["525512345678", "5215512345679"],
    ["34600111222", "346001112220"],
    ["5511987654321", "5521987654321"],
    ["541123456789", "521123456789"],
    ["525512345678", null],
  ] as const;

  for (const [number, platformNumber] of same) assert.equal(spelt(number, platformNumber), platformNumber);
  for (const [number, platformNumber] of others) assert.equal(spelt(number, platformNumber), undefined);
});

Deno.test("judgeOutcome() keeps the platform's code and reason", () => {
  const { result, sender } = judge(refused("stop_sender"));

  assert.deepEqual([result.error_code, result.reason, result.http_status], ["131000", "Because", 400]);
  assert.equal(sender?.reason, "Because");
});

Deno.test("judgeOutcome() distinguishes a locked account from a sender that a member can put right", () => {
  const stops = [refused("stop_sender"), refused("lock_sender")].map((each) => judge(each).sender);

  assert.deepEqual(stops.map((sender) => sender?.locked), [false, true]);
});

Deno.test("judgeOutcome() waits by the schedule, or as long as the platform asks when that is longer", () => {
  const waits = [
    judge(refused("retry")),
    judge(refused("retry"), { attempt: 3 }),
    judge(refused("retry", 60)),
    judge(refused("retry", 2)),
    judge(refused("retry_recipient"), { attempt: 2 }),
    judge(refused("slow_sender")),
    judge(refused("slow_sender", 30)),
  ].map(({ result }) => result.retry_in_s);

  assert.deepEqual(waits, [10, 160, 60, 10, 4, 1.5, 30]);
});

Deno.test("judgeOutcome() fails a notification after the fifth refusal, but not for outcomes that cost no attempt", () => {
  const last = { attempt: 5 };

  assert.deepEqual(judge(refused("retry"), last).result.outcome, "failed");
  assert.match(judge(refused("retry_recipient"), last).result.reason!, /failed after 5 tries/);
  assert.deepEqual(judge(refused("slow_sender"), last).result.outcome, "not_sent");
  assert.deepEqual(judge({ kind: "not_sent", reason: "No line" }, last).result.outcome, "not_sent");
});

Deno.test("judgeOutcome() stops no template for a message without one, and does not retry it forever", () => {
  const { template, result } = judge(refused("stop_template"), { template_id: null });

  assert.deepEqual([template, result.outcome], [null, "failed"]);
});

Deno.test("judgeOutcome() stops a template as of the beginning of the attempt, and costs the message nothing", () => {
  const { template, result } = judge(refused("stop_template"), { attempt: 5 });

  assert.deepEqual(template, {
    company_id: "c",
    template_id: "t",
    reason: "Because",
    at: STARTED.toISOString(),
  });
  assert.deepEqual([result.outcome, result.retry_in_s], ["not_sent", 1.5]);
});

Deno.test("judgeOutcome() has the account read anew only for values the template does not take", () => {
  const differs = (["check_template", "stop_template", "fail", "retry"] as const).map((action) =>
    judge(refused(action)).templateDiffers
  );

  assert.deepEqual(differs, [true, false, false, false]);
});

Deno.test("refuseByTemplate() lets a message of an approved template go, and one that has none", () => {
  assert.equal(refuseByTemplate(claimed(), STARTED), null);
  assert.equal(refuseByTemplate(claimed({ template_status: null, template_changed: null }), STARTED), null);
});

Deno.test("refuseByTemplate() hands back a message whose template is not approved, changed or not", () => {
  for (const template_status of ["pending", "rejected", "disabled", "something_new"]) {
    for (const template_changed of [false, true]) {
      const judged = refuseByTemplate(claimed({ template_status, template_changed }), STARTED);

      assert.deepEqual([judged?.result.outcome, judged?.sender], ["released", null]);
    }
  }
});

Deno.test("refuseByTemplate() fails a message whose template needs other values now", () => {
  const judged = refuseByTemplate(claimed({ template_changed: true }), STARTED);

  assert.deepEqual([judged?.result.outcome, judged?.result.error_code], ["failed", "template_changed"]);
  assert.match(judged!.result.reason!, /^The template hello was changed/);
});

Deno.test("releasedUntried() says nothing about the sender", () => {
  const { result, sender, template } = releasedUntried(claimed({ was_unreachable: true }));

  assert.deepEqual([result.outcome, result.fence, sender, template], ["released", 3, null, null]);
});

Deno.test("postponed() waits until then, and says nothing about the sender", () => {
  const until = new Date(STARTED.getTime() + 90_000);

  const { result, sender, template } = postponed(claimed(), {
    ...{ now: STARTED, until, code: "sending_hours", reason: "Outside" },
  });

  const { outcome, error_code, retry_in_s } = result;
  assert.deepEqual([outcome, error_code, retry_in_s], ["postponed", "sending_hours", 90]);
  assert.deepEqual([sender, template], [null, null]);
});
