import { conversationView } from "../conversations/conversation_view.ts";
import type { CallEventType, SandboxCall, StoredCall } from "./call.ts";

/** The platform's three reasons for a call without a pickup. */
const FAILURE_REASONS = { busy: "busy", no_answer: "no-answer", failed: "unknown" } as const;
const TWILIO = {
  busy: { CallStatus: "busy", SipResponseCode: "486" },
  no_answer: { CallStatus: "no-answer", SipResponseCode: "487" },
  failed: { CallStatus: "failed", SipResponseCode: "404" },
} as const;
const SIP = {
  busy: { sip_status_code: 486, sip_status: "Busy Here", twirp_code: "unavailable" },
  no_answer: { sip_status_code: 480, sip_status: "Temporarily Unavailable", twirp_code: "unavailable" },
  failed: { sip_status_code: 503, sip_status: "Service Unavailable", twirp_code: "unavailable" },
} as const;

/** The body of a webhook about a call, as it is now: `{type, event_timestamp, data}`. */
export function callEventBody({ call, echo }: StoredCall, type: CallEventType): Record<string, unknown> {
  return { type, event_timestamp: Math.floor(Date.now() / 1000), data: DATA[type](call, echo) };
}

const DATA: Record<CallEventType, (call: SandboxCall, echo: boolean) => Record<string, unknown>> = {
  post_call_transcription: (call, echo) => ({
    ...conversationView(call),
    ...(echo ? {} : { user_id: null, conversation_initiation_client_data: { dynamic_variables: {} } }),
    branch_id: null,
    version_id: null,
    environment: "production",
  }),
  call_initiation_failure: (call) => {
    const outcome = call.outcome === "busy" || call.outcome === "no_answer" ? call.outcome : "failed";
    return {
      agent_id: call.agent_id,
      conversation_id: call.id,
      failure_reason: FAILURE_REASONS[outcome],
      metadata: call.provider === "twilio"
        ? {
          type: "twilio",
          body: {
            CallSid: call.platform_call_id,
            ...TWILIO[outcome],
            To: call.to,
            From: call.from,
            Direction: "outbound-api",
          },
        }
        : {
          type: "sip",
          body: {
            from_number: call.from,
            to_number: call.to,
            error_reason: "INVITE failed",
            call_sid: call.platform_call_id,
            ...SIP[outcome],
          },
        },
    };
  },
  answering_machine_detection: (call) => ({
    agent_id: call.agent_id,
    conversation_id: call.id,
    metadata: {
      type: "twilio",
      body: { CallSid: call.platform_call_id, AnsweredBy: "machine_start", MachineDetectionDuration: "2400" },
    },
  }),
};
