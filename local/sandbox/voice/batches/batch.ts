import { z } from "zod";
import type { StoredCall } from "../calls/call.ts";
import { clientDataSchema, telephonySchema } from "../calls/outbound_call.ts";
import type { VoiceAccount, VoiceAgent, VoicePhoneNumber } from "../voice_accounts.ts";

/** One recipient of a batch. */
export interface BatchRecipient {
  id: string;
  body: BatchBody["recipients"][number];
  /** Digits. */
  to: string;
  status: "pending" | "dispatched" | "cancelled";
  updatedAt: number;
  /** Set once the call was made. */
  call: StoredCall | null;
}

/** Calls requested together. Times are unix milliseconds. */
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

/** All batches, and their progress. */
export interface Batches {
  /** Newest last. */
  readonly batches: Map<string, Batch>;
  start(batch: Batch): void;
  /** Cancels the calls that have not been made; calls under way continue. */
  cancel(batch: Batch): void;
  close(): void;
}

const RING_TIMEOUT_SECS = 60;

/** Whether every call of the batch has ended or will not be made. */
function isFinished({ recipients }: Batch): boolean {
  return recipients.every(({ status, call }) => status === "cancelled" || call?.call.status === "ended");
}

/** The batch in responses. */
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

/** The batch with its recipients. */
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

const MAX_RECIPIENTS = 10_000;

/** The body of `POST /v1/convai/batch-calling/submit`. Like the platform, it lets unknown fields pass. */
export const batchBodySchema = z.looseObject({
  call_name: z.string(),
  agent_id: z.string(),
  agent_phone_number_id: z.string(),
  recipients: z.array(z.looseObject({
    id: z.string().nullish(),
    phone_number: z.string(),
    conversation_initiation_client_data: clientDataSchema.nullish(),
  })).min(1).max(MAX_RECIPIENTS),
  scheduled_time_unix: z.number().int().nullish(),
  timezone: z.string().nullish(),
  telephony_call_config: telephonySchema.nullish(),
  target_concurrency_limit: z.number().int().min(1).nullish(),
});

export type BatchBody = z.infer<typeof batchBodySchema>;
