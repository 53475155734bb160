import type { Feedback } from "./feedback.ts";

export type CallOutcome = "answered" | "voicemail" | "busy" | "no_answer" | "failed";
export type CallEventType =
  | "post_call_transcription"
  | "call_initiation_failure"
  | "answering_machine_detection";

/** Something that was said. */
export interface TranscriptLine {
  role: "agent" | "user";
  message: string;
  time_in_call_secs: number;
}

/** A webhook about a call that was tried for the last time. Times are ISO 8601 in UTC. */
export interface CallTelling {
  type: CallEventType;
  at: string;
  /** False when it was not answered 200. */
  taken: boolean;
}

/** A call the sandbox really made, as the ledger shows it. Times are ISO 8601 in UTC. */
export interface SandboxCall {
  /** The platform's conversation id. */
  id: string;
  /** As it was asked for, with the "+". */
  to: string;
  from: string;
  account: string;
  phone_number_id: string;
  agent_id: string;
  agent_name: string;
  provider: "twilio" | "sip_trunk";
  /** `callSid` or `sip_call_id` of the answer. */
  provider_call_id: string;
  /** The caller's own reference. */
  user_id: string | null;
  dynamic_variables: Record<string, string | number | boolean>;
  status: "ringing" | "talking" | "ended";
  /** `null` until the call ended. */
  outcome: CallOutcome | null;
  accepted_at: string;
  /** When the HTTP answer was handed over in full; `null` when it was not. */
  responded_at: string | null;
  picked_up_at: string | null;
  ended_at: string | null;
  /** When the analysis was done; `null` for calls that nobody picked up. */
  analysed_at: string | null;
  duration_secs: number;
  transcript: TranscriptLine[];
  summary: string | null;
  termination_reason: string | null;
  /** What broke the conversation after the phone was picked up. */
  error: { code: number; reason: string } | null;
  webhooks: CallTelling[];
  feedback: Feedback;
  /** The batch it was made for. */
  batch_call: { batch_call_id: string; batch_call_recipient_id: string } | null;
}

/** Something that will happen to a call; `line` is the place in the plan's lines. `at` in unix milliseconds. */
export type CallStep =
  | { kind: "picked_up" | "ended" | "analysed"; at: number }
  | { kind: "said"; at: number; line: number };

/** A call's whole life, decided when it is taken. */
export interface CallPlan {
  outcome: CallOutcome;
  /** In the order they come true. */
  steps: CallStep[];
  lines: TranscriptLine[];
  /** One for each time an event is told. */
  tellings: { type: CallEventType; at: number }[];
  duration_secs: number;
  error: { code: number; reason: string } | null;
  termination_reason: string;
}

/** What agent and person would say, the values filled in, or what breaks it before a word is said. */
export interface Conversation {
  lines: { role: "agent" | "user"; message: string }[];
  error: { code: number; reason: string } | null;
}

/** What the journal keeps of a call: the ledger's view and what is still to happen. */
export interface StoredCall {
  call: SandboxCall;
  conversation: Conversation;
  plan: CallPlan;
  /** Counts the plans the call has had: answering or rejecting by hand makes a new one. */
  turn: number;
  /** Steps of the plan that came true. */
  done: number;
  /** Webhooks leave the reference and the variables out. */
  echo: boolean;
}
