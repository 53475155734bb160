/** One thing that was said. */
export interface SpokenLine {
  role: "agent" | "user";
  message: string;
  /** Seconds from the start of the call. */
  atS: number;
}

/** How a call went. The platform may tell it more than once, and late. */
export interface CallReport {
  conversationId: string;
  /** What we sent along with the call; null where the platform did not give it back. */
  reference: string | null;
  outcome: "answered" | "voicemail" | "busy" | "no_answer" | "failed";
  /** ISO 8601. */
  endedAt: string;
  /** How long people talked; null for a call nobody took. */
  durationS: number | null;
  summary: string | null;
  transcript: SpokenLine[] | null;
  /** Why it ended, or did not come about, in words for people. */
  reason: string | null;
}
