import assert from "node:assert/strict";
import { callEvent } from "../../../supabase/functions/_shared/dispatching/call_events.ts";
import { writeReference } from "../../../supabase/functions/_shared/dispatching/reference.ts";
import type { CallReport } from "../../../supabase/functions/_shared/gateways/voice/conversations.ts";

const OURS = { companyId: crypto.randomUUID(), notificationId: crypto.randomUUID(), fence: 2 };
const ENDED = "2030-01-15T12:00:00.000Z";

function report(overrides: Partial<CallReport> = {}): CallReport {
  return {
    conversationId: "conv_1",
    reference: writeReference(OURS),
    outcome: "answered",
    endedAt: ENDED,
    durationS: 42,
    summary: "It went well.",
    transcript: [],
    reason: "end_call tool was called",
    ...overrides,
  };
}

Deno.test("callEvent() of a call that was taken is a delivery, with all there is to know of the call", () => {
  assert.deepEqual(callEvent(report(), "post_call_transcription"), {
    dedupe_key: "voice:conv_1:post_call_transcription",
    channel: "voice",
    waba_id: null,
    foreign_reference: false,
    platform_message_id: "conv_1",
    company_id: OURS.companyId,
    notification_id: OURS.notificationId,
    fence: 2,
    status: "delivered",
    occurred_at: ENDED,
    error_code: null,
    retryable: false,
    reason: null,
    call: { outcome: "answered", duration_s: 42, summary: "It went well.", transcript: [], ended_at: ENDED },
  });
});

Deno.test("callEvent() of a call that was not taken is a failure for good, with a reason in any case", () => {
  for (const outcome of ["busy", "no_answer", "failed"] as const) {
    const { status, error_code, retryable, reason } = callEvent(report({ outcome, reason: null }), "polled");
    assert.deepEqual([status, error_code, retryable], ["failed", outcome, false]);
    assert.ok(reason);
  }
  assert.equal(
    callEvent(report({ outcome: "failed", reason: "486 Busy Here" }), "polled").reason,
    "486 Busy Here",
  );
});

Deno.test("callEvent() of a machine that was detected does not end the call", () => {
  const { status, call } = callEvent(report({ outcome: "voicemail" }), "answering_machine_detection");

  assert.deepEqual([status, call?.outcome, call?.ended_at], ["sent", "voicemail", null]);
  assert.equal(callEvent(report({ outcome: "voicemail" }), "polled").status, "delivered");
});

Deno.test("callEvent() falls back on the given reference, and on none for calls that are not ours", () => {
  const asked = callEvent(report({ reference: null }), "polled", OURS);
  const stranger = callEvent(report({ reference: "lead-77" }), "post_call_transcription");

  assert.deepEqual(
    [asked.company_id, asked.notification_id, asked.fence],
    [OURS.companyId, OURS.notificationId, OURS.fence],
  );
  assert.deepEqual([stranger.company_id, stranger.notification_id, stranger.fence], [null, null, null]);
});
