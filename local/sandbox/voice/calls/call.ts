import type { Feedback } from "../conversations/feedback.ts";
import type { VoiceAccount } from "../voice_accounts.ts";

export type CallOutcome = "answered" | "voicemail" | "busy" | "no_answer" | "failed";
export type CallEventType =
  | "post_call_transcription"
  | "call_initiation_failure"
  | "answering_machine_detection";

/** One turn of a conversation. */
export interface TranscriptTurn {
  role: "agent" | "user";
  message: string;
  time_in_call_secs: number;
}

/** The last attempt of a webhook about a call. Times are ISO 8601 in UTC. */
export interface WebhookAttempt {
  type: CallEventType;
  at: string;
  /** False without a 200 response. */
  delivered: boolean;
}

/** A call the sandbox really made, as the ledger shows it. Times are ISO 8601 in UTC. */
export interface SandboxCall {
  /** The platform's conversation id. */
  id: string;
  /** As requested, with the "+". */
  to: string;
  from: string;
  account: string;
  phone_number_id: string;
  agent_id: string;
  agent_name: string;
  provider: "twilio" | "sip_trunk";
  /** `callSid` or `sip_call_id` of the response. */
  platform_call_id: string;
  /** The caller's own reference. */
  user_id: string | null;
  dynamic_variables: Record<string, string | number | boolean>;
  status: "ringing" | "talking" | "ended";
  /** `null` until the call ended. */
  outcome: CallOutcome | null;
  accepted_at: string;
  /** When the client got the whole HTTP response; `null` if it did not. */
  responded_at: string | null;
  picked_up_at: string | null;
  ended_at: string | null;
  /** When the analysis was done; `null` without a pickup. */
  analysed_at: string | null;
  duration_secs: number;
  transcript: TranscriptTurn[];
  summary: string | null;
  termination_reason: string | null;
  /** The error that ended the conversation after the pickup. */
  error: { code: number; reason: string } | null;
  webhooks: WebhookAttempt[];
  feedback: Feedback;
}

/** A planned event of a call; `turn` is an index into the plan's turns. `at` in unix milliseconds. */
export type CallStep =
  | { kind: "picked_up" | "ended" | "analysed"; at: number }
  | { kind: "spoken"; at: number; turn: number };

/** The whole course of a call, planned when it is accepted. */
export interface CallPlan {
  outcome: CallOutcome;
  /** In the order of their times. */
  steps: CallStep[];
  turns: TranscriptTurn[];
  /** One for each time an event is reported. */
  webhooks: { type: CallEventType; at: number }[];
  duration_secs: number;
  error: { code: number; reason: string } | null;
  termination_reason: string;
}

/** The turns of agent and person, with values filled in, or the error that ends the call before a word. */
export interface Conversation {
  turns: { role: "agent" | "user"; message: string }[];
  error: { code: number; reason: string } | null;
}

/** A call in the journal: the ledger's view and what is still to happen. */
export interface StoredCall {
  call: SandboxCall;
  conversation: Conversation;
  plan: CallPlan;
  /** Counts the plans of the call: answering or rejecting it manually makes a new one. */
  planNumber: number;
  /** The number of steps that were reached. */
  done: number;
  /** Webhooks leave the reference and the variables out. */
  echo: boolean;
}

/** The journal's entries of the voice platform. */
export type VoiceEntry =
  | { t: "voice_account"; account: VoiceAccount }
  | { t: "call"; stored: StoredCall }
  /** A manual action changed the plan. */
  | { t: "call_plan"; id: string; planNumber: number; plan: CallPlan }
  /** The next step of the plan was reached. */
  | { t: "call_step"; id: string; at: string }
  | { t: "call_responded"; id: string; at: string }
  | { t: "call_feedback"; id: string; feedback: Feedback }
  /** A webhook was tried for the last time; `key` names it. */
  | { t: "call_webhook"; id: string; key: string; attempt: WebhookAttempt };
