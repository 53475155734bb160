import type { Session } from "../connection/session.ts";

/** What a command answers: one object for programs, some lines for people. */
export interface Answer {
  json: Record<string, unknown>;
  text: string;
  /** Said on standard error when the command ran and what it found is bad news; the exit code is 1 then. */
  problem?: string | undefined;
}

/** Gives an action the connections it works with and prints what it answers. */
export type Run = (action: (session: Session) => Promise<Answer>) => Promise<void>;
