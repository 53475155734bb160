import type { CallPlan, CallTelling, StoredCall } from "./call.ts";
import type { Feedback } from "./feedback.ts";
import type { VoiceAccount } from "./options.ts";

/** What the journal holds of the voice platform. */
export type VoiceLine =
  | { t: "voice_account"; account: VoiceAccount }
  | { t: "call"; stored: StoredCall }
  /** Somebody changed what was to happen. */
  | { t: "call_plan"; id: string; turn: number; plan: CallPlan }
  /** The next step of the plan came true. */
  | { t: "call_step"; id: string; at: string }
  | { t: "call_responded"; id: string; at: string }
  | { t: "call_feedback"; id: string; feedback: Feedback }
  /** A webhook is over; `key` names it. */
  | { t: "call_told"; id: string; key: string; entry: CallTelling };
