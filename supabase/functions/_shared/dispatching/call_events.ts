import type { PlatformEvent } from "../db/queue/platform_events.ts";
import type { CallReport } from "../gateways/voice/conversations.ts";
import { readReference, type Reference } from "./reference.ts";

/** The origin of a report: one of the platform's webhooks, or the platform's response when we polled it. */
type Source =
  | "post_call_transcription"
  | "call_initiation_failure"
  | "answering_machine_detection"
  | "polled";

const REACHED = new Set<CallReport["outcome"]>(["answered", "voicemail"]);

const FAILURES: Partial<Record<CallReport["outcome"], string>> = {
  busy: "The line was busy",
  no_answer: "The recipient did not take the call",
  failed: "The call could not be made",
};

/**
 * Returns the event that moves a call's notification: delivered when a person or a machine took the call, otherwise
 * failed. Machine detection does not end the call.
 *
 * @param reference leads to the notification where the report does not
 */
export function callEvent(report: CallReport, source: Source, reference?: Reference): PlatformEvent {
  const isRunning = source === "answering_machine_detection";
  const reached = REACHED.has(report.outcome);
  const known = readReference(report.reference) ?? reference;
  const { companyId, notificationId, fence } = known ?? {};
  return {
    dedupe_key: `voice:${report.conversationId}:${source}`,
    channel: "voice",
    waba_id: null,
    foreign_reference: report.reference !== null && known === undefined,
    platform_message_id: report.conversationId,
    company_id: companyId ?? null,
    notification_id: notificationId ?? null,
    fence: fence ?? null,
    status: isRunning ? "sent" : reached ? "delivered" : "failed",
    occurred_at: report.endedAt,
    error_code: reached ? null : report.outcome,
    retryable: false,
    reason: reached ? null : report.reason ?? FAILURES[report.outcome] ?? null,
    call: {
      outcome: report.outcome,
      duration_s: report.durationS,
      summary: report.summary,
      transcript: report.transcript,
      ended_at: isRunning ? null : report.endedAt,
    },
  };
}

/** Returns the event for a call that the platform made although its start got no response. Its end is not known yet. */
export function startedEvent(
  { companyId, notificationId, fence }: Reference,
  { conversationId, at }: { conversationId: string; at: Date },
): PlatformEvent {
  return {
    dedupe_key: `voice:${conversationId}:found`,
    channel: "voice",
    waba_id: null,
    platform_message_id: conversationId,
    company_id: companyId,
    notification_id: notificationId,
    fence,
    status: "sent",
    occurred_at: at.toISOString(),
    error_code: null,
    retryable: false,
    reason: null,
  };
}
