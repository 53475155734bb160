import type { SandboxCall } from "../calls/call.ts";
import { feedbackView } from "./feedback.ts";

/** A conversation as `GET /v1/convai/conversations/{id}` and the webhook after the call return it. */
export function conversationView(call: SandboxCall): Record<string, unknown> {
  return {
    agent_id: call.agent_id,
    agent_name: call.agent_name,
    conversation_id: call.id,
    status: conversationStatus(call),
    user_id: call.user_id,
    has_audio: hasAudio(call),
    has_user_audio: call.transcript.some(({ role }) => role === "user"),
    has_response_audio: call.transcript.some(({ role }) => role === "agent"),
    has_auxiliary_audio: false,
    transcript: call.transcript.map((turn) => ({
      ...turn,
      interrupted: false,
      tool_calls: [],
      tool_results: [],
      feedback: null,
    })),
    metadata: metadata(call),
    analysis: analysis(call),
    conversation_initiation_client_data: {
      user_id: call.user_id,
      dynamic_variables: { ...call.dynamic_variables, ...systemVariables(call) },
    },
  };
}

/** Whether a call was recorded: it was picked up, and its recording is there with the analysis. */
export function hasAudio(call: SandboxCall): boolean {
  return call.analysed_at !== null;
}

/** One entry of `GET /v1/convai/conversations`. */
export function conversationSummary(call: SandboxCall): Record<string, unknown> {
  return {
    agent_id: call.agent_id,
    agent_name: call.agent_name,
    conversation_id: call.id,
    status: conversationStatus(call),
    start_time_unix_secs: seconds(call.accepted_at),
    call_duration_secs: call.duration_secs,
    message_count: call.transcript.length,
    call_successful: successOf(call),
    termination_reason: call.termination_reason,
    direction: "outbound",
  };
}

/** `processing` lasts from the end of a conversation to its analysis; a call without a pickup has none. */
export function conversationStatus(call: SandboxCall): string {
  if (call.status === "ringing") return "initiated";
  if (call.status === "talking") return "in-progress";
  if (call.picked_up_at === null || call.error !== null) return "failed";
  return call.analysed_at === null ? "processing" : "done";
}

/** The platform's verdict on a call. A machine is no success; before the analysis it is unknown. */
export function successOf(call: SandboxCall): "success" | "failure" | "unknown" {
  if (call.status !== "ended" || (call.picked_up_at !== null && call.analysed_at === null)) return "unknown";
  return call.outcome === "answered" && call.error === null ? "success" : "failure";
}

function metadata(call: SandboxCall): Record<string, unknown> {
  return {
    start_time_unix_secs: seconds(call.accepted_at),
    accepted_time_unix_secs: call.picked_up_at === null ? null : seconds(call.picked_up_at),
    call_duration_secs: call.duration_secs,
    cost: call.status === "ended" ? call.duration_secs * 8 : null,
    cost_fiat: null,
    termination_reason: call.termination_reason ?? "",
    error: call.error,
    main_language: "en",
    text_only: false,
    authorization_method: "authorization_header",
    conversation_initiation_source: call.provider === "twilio" ? "twilio" : "sip_trunk",
    feedback: feedbackView(call.feedback),
    phone_call: phoneCall(call),
    batch_call: null,
    charging: {},
  };
}

function phoneCall(call: SandboxCall): Record<string, unknown> {
  return {
    type: call.provider === "twilio" ? "twilio" : "sip_trunking",
    direction: "outbound",
    phone_number_id: call.phone_number_id,
    agent_number: call.from,
    external_number: call.to,
    call_result: call.outcome,
    call_sid: call.platform_call_id,
    ...(call.provider === "twilio"
      ? { stream_sid: call.picked_up_at === null ? null : `MZ${call.platform_call_id.slice(2)}` }
      : { call_id: null }),
  };
}

function analysis(call: SandboxCall): Record<string, unknown> | null {
  if (call.analysed_at === null) return null;
  return {
    call_successful: successOf(call),
    transcript_summary: call.summary,
    call_summary_title: call.agent_name,
    evaluation_criteria_results: {},
    data_collection_results: {},
  };
}

function systemVariables(call: SandboxCall): Record<string, string | number> {
  return {
    system__agent_id: call.agent_id,
    system__conversation_id: call.id,
    system__caller_id: call.from,
    system__called_number: call.to,
    system__call_duration_secs: call.duration_secs,
  };
}

function seconds(iso: string): number {
  return Math.floor(Date.parse(iso) / 1000);
}
