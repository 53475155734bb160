import type { StoredCall } from "./call.ts";
import type { BatchBody } from "./batch_body.ts";
import type { VoiceAccount, VoiceAgent, VoicePhoneNumber } from "./options.ts";

/** One person a batch is to call. */
export interface BatchRecipient {
  id: string;
  body: BatchBody["recipients"][number];
  /** Digits. */
  to: string;
  status: "pending" | "dispatched" | "cancelled";
  updatedAt: number;
  /** Once the call was made. */
  call: StoredCall | null;
}

/** Calls that were asked for together. Times are unix milliseconds. */
export interface Batch {
  id: string;
  account: VoiceAccount;
  agent: VoiceAgent;
  number: VoicePhoneNumber;
  body: BatchBody;
  createdAt: number;
  scheduledAt: number;
  updatedAt: number;
  cancelled: boolean;
  recipients: BatchRecipient[];
}

const RING_TIMEOUT_SECS = 60;

/** Whether every call of the batch is over, or will not be made. */
function isFinished({ recipients }: Batch): boolean {
  return recipients.every(({ status, call }) => status === "cancelled" || call?.call.status === "ended");
}

/** The batch as lists and answers give it. */
export function batchView(batch: Batch): Record<string, unknown> {
  const { id, agent, number, body, recipients } = batch;
  const telephony = body.telephony_call_config;
  return {
    id,
    phone_number_id: number.phoneNumberId,
    phone_provider: number.provider,
    whatsapp_params: null,
    name: body.call_name,
    agent_id: agent.agentId,
    branch_id: null,
    environment: null,
    created_at_unix: seconds(batch.createdAt),
    scheduled_time_unix: seconds(batch.scheduledAt),
    timezone: body.timezone ?? null,
    total_calls_dispatched: recipients.filter(({ call }) => call !== null).length,
    total_calls_scheduled: recipients.length,
    total_calls_finished: recipients.filter(({ call }) => call?.call.status === "ended").length,
    last_updated_at_unix: seconds(batch.updatedAt),
    status: batchStatus(batch),
    retry_count: 0,
    telephony_call_config: {
      ringing_timeout_secs: telephony?.ringing_timeout_secs ?? RING_TIMEOUT_SECS,
      twilio_call_recording_enabled: telephony?.twilio_call_recording_enabled ?? false,
      twilio_machine_detection: telephony?.twilio_machine_detection ?? null,
    },
    target_concurrency_limit: body.target_concurrency_limit ?? null,
    agent_name: agent.name,
    branch_name: null,
  };
}

/** The same with everybody it calls. */
export function batchDetails(batch: Batch): Record<string, unknown> {
  return { ...batchView(batch), recipients: batch.recipients.map((each) => recipientView(batch, each)) };
}

function batchStatus(batch: Batch): string {
  if (batch.cancelled) return "cancelled";
  if (isFinished(batch)) return "completed";
  return batch.recipients.some(({ call }) => call !== null) ? "in_progress" : "pending";
}

function recipientView(batch: Batch, { id, body, status, updatedAt, call }: BatchRecipient) {
  return {
    id,
    phone_number: body.phone_number,
    whatsapp_user_id: null,
    status: call === null ? status : callStatus(call),
    created_at_unix: seconds(batch.createdAt),
    updated_at_unix: seconds(updatedAt),
    conversation_id: call?.call.id ?? null,
    conversation_initiation_client_data: body.conversation_initiation_client_data ?? null,
  };
}

function callStatus({ call }: StoredCall): string {
  if (call.status === "ringing") return "initiated";
  if (call.status === "talking") return "in_progress";
  if (call.outcome === "voicemail") return "voicemail";
  return call.outcome === "answered" && call.error === null ? "completed" : "failed";
}

function seconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}
