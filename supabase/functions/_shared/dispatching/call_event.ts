import type { ProviderEvent } from "../db/provider_events.ts";
import type { CallReport } from "../gateways/voice/call_report.ts";
import { readReference, type Reference } from "./reference.ts";

/** Whose word an event is: one of the platform's webhooks, or its answer when we asked. */
type Source =
  | "post_call_transcription"
  | "call_initiation_failure"
  | "answering_machine_detection"
  | "asked";

const REACHED = new Set<CallReport["outcome"]>(["answered", "voicemail"]);

const FAILURES: Partial<Record<CallReport["outcome"], string>> = {
  busy: "The line was busy",
  no_answer: "Nobody took the call",
  failed: "The call could not be made",
};

/**
 * What the platform told about a call, as the event that moves its notification: taken by a person or a machine is
 * delivered, anything else failed. That a machine was detected is no end of the call: somebody may still be talking to it.
 *
 * @param reference leads to the notification where the report does not
 */
export function callEvent(report: CallReport, source: Source, reference?: Reference): ProviderEvent {
  const goesOn = source === "answering_machine_detection";
  const reached = REACHED.has(report.outcome);
  const known = readReference(report.reference) ?? reference;
  const { companyId, notificationId, fence } = known ?? {};
  return {
    dedupe_key: `voice:${report.conversationId}:${source}`,
    channel: "voice",
    account_id: null,
    foreign_reference: report.reference !== null && known === undefined,
    provider_message_id: report.conversationId,
    company_id: companyId ?? null,
    notification_id: notificationId ?? null,
    fence: fence ?? null,
    status: goesOn ? "sent" : reached ? "delivered" : "failed",
    occurred_at: report.endedAt,
    error_code: reached ? null : report.outcome,
    retryable: false,
    reason: reached ? null : report.reason ?? FAILURES[report.outcome] ?? null,
    call: {
      outcome: report.outcome,
      duration_s: report.durationS,
      summary: report.summary,
      transcript: report.transcript,
      ended_at: goesOn ? null : report.endedAt,
    },
  };
}
