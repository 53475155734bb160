/** The problems that visitors see, named after the texts that describe them. */
export type Problem =
  | "microphone_refused"
  | "microphone_missing"
  | "microphone_lost"
  | "session_refused"
  | "connection_lost"
  | "limit_reached"
  | "handoff_unavailable";

/** An error with a text for the visitor. */
export class VoiceProblem extends Error {
  override readonly name = "VoiceProblem";

  constructor(readonly problem: Problem, cause?: unknown) {
    super(problem, { cause });
  }
}

/** Returns the problem that an error stands for, or `fallback` if it is unknown. */
export function problemOf(error: unknown, fallback: Problem): Problem {
  if (error instanceof VoiceProblem) return error.problem;
  const name = error instanceof Error || error instanceof DOMException ? error.name : "";
  if (name === "NotAllowedError" || name === "SecurityError") return "microphone_refused";
  if (name === "NotFoundError" || name === "NotReadableError" || name === "OverconstrainedError") {
    return "microphone_missing";
  }
  return fallback;
}
