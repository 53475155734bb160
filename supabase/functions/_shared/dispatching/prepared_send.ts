import type { SendOutcome } from "../gateways/send_outcome.ts";

/** A notification on the point of leaving, or why it cannot. */
export type PreparedSend =
  | { kind: "ready"; send(): Promise<SendOutcome> }
  /** As if the platform had refused it. */
  | { kind: "refused"; outcome: SendOutcome }
  /** Its sender's token was sealed with another key: this process cannot send it, others may. */
  | { kind: "unreadable"; reason: string };
