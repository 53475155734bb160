import assert from "node:assert/strict";
import { type CallPlanInput, planCall } from "../../../../local/sandbox/voice/calls/call_plan.ts";

const INPUT: CallPlanInput = {
  now: 0,
  outcome: "answered",
  conversation: {
    turns: [{ role: "agent", message: "Hello." }, { role: "user", message: "Yes." }],
    error: null,
  },
  settings: { ring_ms: 3000, no_answer_ms: 20_000, talk_ms: 10_000, analysis_ms: 500, duration_secs: null },
  ring_timeout_ms: 60_000,
  machine_detection: false,
  webhook_faults: {},
};

Deno.test("planCall() spreads what is said over the conversation", () => {
  const { steps, turns, duration_secs, webhooks } = planCall(INPUT);

  assert.deepEqual(steps.map(({ kind, at }) => [kind, at]), [
    ["picked_up", 3000],
    ["spoken", 3000],
    ["spoken", 8000],
    ["ended", 13_000],
    ["analysed", 13_500],
  ]);
  assert.deepEqual(turns.map(({ time_in_call_secs }) => time_in_call_secs), [0, 5]);
  assert.equal(duration_secs, 10);
  assert.deepEqual(webhooks, [{ type: "post_call_transcription", at: 13_500 }]);
});

Deno.test("planCall() stops ringing at the call's own timeout", () => {
  const { steps } = planCall({ ...INPUT, outcome: "no_answer", ring_timeout_ms: 5000 });

  assert.deepEqual(steps, [{ kind: "ended", at: 5000 }]);
});

Deno.test("planCall() has no pickup after the call's own timeout", () => {
  const { outcome, steps, webhooks } = planCall({ ...INPUT, ring_timeout_ms: 2000 });

  assert.equal(outcome, "no_answer");
  assert.deepEqual(steps, [{ kind: "ended", at: 2000 }]);
  assert.deepEqual(webhooks, [{ type: "call_initiation_failure", at: 2000 }]);
});

Deno.test("planCall() ends a failed call at once, without ringing", () => {
  const { steps, webhooks } = planCall({ ...INPUT, outcome: "failed" });

  assert.deepEqual(steps, [{ kind: "ended", at: 0 }]);
  assert.deepEqual(webhooks, [{ type: "call_initiation_failure", at: 0 }]);
});

Deno.test("planCall() reports a machine at its pickup, the conversation after it", () => {
  const { webhooks } = planCall({ ...INPUT, outcome: "voicemail", machine_detection: true });

  assert.deepEqual(webhooks, [
    { type: "answering_machine_detection", at: 3000 },
    { type: "post_call_transcription", at: 13_500 },
  ]);
});

Deno.test("planCall() never ends a conversation that is broken later than it began", () => {
  const { steps, turns, error } = planCall({
    ...INPUT,
    conversation: { ...INPUT.conversation, error: { code: 1008, reason: "no" } },
  });

  assert.deepEqual(steps.map(({ kind, at }) => [kind, at]), [
    ["picked_up", 3000],
    ["ended", 3000],
    ["analysed", 3500],
  ]);
  assert.deepEqual([turns, error], [[], { code: 1008, reason: "no" }]);
});
