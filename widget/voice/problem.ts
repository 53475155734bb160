/** What can go wrong, as the names of the texts that say so. */
export type Problem =
  | "microphone_refused"
  | "microphone_missing"
  | "session_refused"
  | "connection_lost"
  | "limit_reached"
  | "handoff_unavailable";

/** Something went wrong in a way there are words for. */
export class VoiceProblem extends Error {
  override readonly name = "VoiceProblem";

  constructor(readonly what: Problem, cause?: unknown) {
    super(what, { cause });
  }
}

/** The problem an error stands for; `otherwise` for errors that say nothing about themselves. */
export function problemOf(error: unknown, otherwise: Problem): Problem {
  if (error instanceof VoiceProblem) return error.what;
  const name = error instanceof Error || error instanceof DOMException ? error.name : "";
  if (name === "NotAllowedError" || name === "SecurityError") return "microphone_refused";
  if (name === "NotFoundError" || name === "NotReadableError" || name === "OverconstrainedError") {
    return "microphone_missing";
  }
  return otherwise;
}
