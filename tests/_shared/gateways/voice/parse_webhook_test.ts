import assert from "node:assert/strict";
import { parseWebhook } from "../../../../supabase/functions/_shared/gateways/voice/parse_webhook.ts";
import type { JsonObject } from "../../../setup/http/http.ts";

const NOW = new Date("2026-05-28T20:30:00Z");
const START = 1780000000;

/** A conversation as the platform reports it, with some of it changed. */
function conversation(changes: JsonObject = {}, metadata: JsonObject = {}): JsonObject {
  return {
    agent_id: "agent_1",
    conversation_id: "conv_1",
    status: "done",
    user_id: "company:notification",
    transcript: [
      { role: "agent", message: "Hello Ada", time_in_call_secs: 0, tool_calls: [] },
      { role: "user", message: "Hi", time_in_call_secs: 3 },
      { role: "agent", message: null, time_in_call_secs: 5 },
    ],
    metadata: {
      start_time_unix_secs: START,
      accepted_time_unix_secs: START + 5,
      call_duration_secs: 42,
      termination_reason: "end_call tool was called",
      error: null,
      phone_call: { type: "twilio", direction: "outbound", call_result: "answered" },
      ...metadata,
    },
    analysis: { call_successful: "success", transcript_summary: "Reminder delivered." },
    conversation_initiation_client_data: { dynamic_variables: { name: "Ada" } },
    ...changes,
  };
}

function reported(data: unknown, type = "post_call_transcription") {
  return parseWebhook({ type, event_timestamp: START + 60, data }, NOW)?.report;
}

Deno.test("parseWebhook() reads how an answered call went", () => {
  const event = parseWebhook({
    type: "post_call_transcription",
    event_timestamp: START + 60,
    data: conversation(),
  }, NOW);

  assert.deepEqual(event, {
    type: "post_call_transcription",
    report: {
      conversationId: "conv_1",
      reference: "company:notification",
      outcome: "answered",
      endedAt: new Date((START + 47) * 1000).toISOString(),
      durationS: 42,
      summary: "Reminder delivered.",
      transcript: [
        { role: "agent", message: "Hello Ada", at_s: 0 },
        { role: "user", message: "Hi", at_s: 3 },
      ],
      reason: "end_call tool was called",
    },
  });
});

for (const outcome of ["voicemail", "busy", "no_answer", "failed"]) {
  Deno.test(`parseWebhook() takes the platform's word for ${outcome}`, () => {
    assert.equal(reported(conversation({}, { phone_call: { call_result: outcome } }))?.outcome, outcome);
  });
}

Deno.test("parseWebhook() judges by what happened where the platform has no word for it", () => {
  const silent = { phone_call: { call_result: "brand_new" }, call_duration_secs: 0 };
  assert.equal(reported(conversation({}, silent))?.outcome, "answered");
  assert.equal(reported(conversation({ transcript: [] }, silent))?.outcome, "no_answer");
  const failed = reported(
    conversation({ status: "failed" }, { phone_call: null, error: { reason: "No audio" } }),
  );
  assert.deepEqual([failed?.outcome, failed?.reason, failed?.durationS], ["failed", "No audio", null]);
  const broken = reported(conversation({ status: "failed" }, { error: { reason: "Missing variable" } }));
  assert.deepEqual([broken?.outcome, broken?.reason], ["failed", "Missing variable"]);
});

Deno.test("parseWebhook() finds our reference in the dynamic variables first", () => {
  const data = conversation({
    user_id: null,
    conversation_initiation_client_data: { dynamic_variables: { outbound_reference: "ours" } },
  });

  assert.equal(reported(data)?.reference, "ours");
  assert.equal(reported(conversation({ user_id: undefined }))?.reference, null);
});

Deno.test("parseWebhook() keeps text that Postgres takes, and only as much as is read", () => {
  const data = conversation({
    transcript: [{ role: "user", message: `a\0b\ud800${"x".repeat(20_000)}` }],
    analysis: { transcript_summary: "a\0b" },
  });
  const [line] = reported(data)?.transcript ?? [];

  assert.equal(line?.message.length, 10_000);
  assert.ok(line?.message.isWellFormed() && !line.message.includes("\0"));
  assert.equal(reported(data)?.summary, "ab");
});

const FAILURES: [data: JsonObject, outcome: string, reason: string][] = [
  [
    {
      failure_reason: "busy",
      metadata: { type: "twilio", body: { CallStatus: "busy", SipResponseCode: "487", To: "+1" } },
    },
    "busy",
    "The line was busy: 487 busy",
  ],
  [
    {
      failure_reason: "no-answer",
      metadata: {
        type: "sip",
        body: { sip_status_code: 480, sip_status: "Temporarily Unavailable", error_reason: "INVITE failed" },
      },
    },
    "no_answer",
    "The recipient did not take the call: INVITE failed, 480 Temporarily Unavailable",
  ],
  [{ failure_reason: "unknown" }, "failed", "The call could not be made"],
  [{ failure_reason: "constructor", metadata: null }, "failed", "The call could not be made"],
];

for (const [data, outcome, reason] of FAILURES) {
  Deno.test(`parseWebhook() reads a call that did not come about: ${reason}`, () => {
    const report = reported({ agent_id: "a", conversation_id: "conv_1", ...data }, "call_initiation_failure");

    assert.deepEqual(report, {
      conversationId: "conv_1",
      reference: null,
      outcome,
      endedAt: new Date((START + 60) * 1000).toISOString(),
      durationS: null,
      summary: null,
      transcript: null,
      reason,
    });
  });
}

Deno.test("parseWebhook() reads that a machine took the call, and not that a person did", () => {
  const detection = (AnsweredBy: string) =>
    reported(
      { conversation_id: "conv_1", metadata: { type: "twilio", body: { AnsweredBy } } },
      "answering_machine_detection",
    );

  assert.equal(detection("machine_end_beep")?.outcome, "voicemail");
  assert.equal(detection("human"), undefined);
});

const OTHERS: [why: string, body: unknown][] = [
  ["no object", "hello"],
  ["no data", { type: "post_call_transcription", event_timestamp: 1 }],
  ["an event about something else", { type: "post_call_audio", data: { conversation_id: "conv_1" } }],
  ["an unknown event", { type: "constructor", data: {} }],
  ["no conversation", { type: "call_initiation_failure", data: { failure_reason: "busy" } }],
  ["a conversation without an id", {
    type: "post_call_transcription",
    data: conversation({ conversation_id: "" }),
  }],
];

for (const [why, body] of OTHERS) {
  Deno.test(`parseWebhook() passes over ${why}`, () => {
    assert.equal(parseWebhook(body, NOW), null);
  });
}

Deno.test("parseWebhook() lets no call end after the event that reports it", () => {
  const data = conversation({}, { call_duration_secs: 3600 });

  assert.equal(reported(data)?.endedAt, new Date((START + 60) * 1000).toISOString());
});

Deno.test("parseWebhook() puts now in place of a time that cannot be", () => {
  for (const start_time_unix_secs of [0, 1, 9e9, "soon", null]) {
    const data = conversation({}, { start_time_unix_secs, accepted_time_unix_secs: null });
    const event = parseWebhook({ type: "post_call_transcription", event_timestamp: 9e9, data }, NOW);
    assert.equal(event?.report.endedAt, NOW.toISOString(), String(start_time_unix_secs));
  }
});
