/**
 * What a platform's refusal asks us to do.
 *
 * - `retry`: the same message or call again, later.
 * - `retry_recipient`: the same, but only what goes to this recipient must wait.
 * - `slow_sender`: again later, and the sender or its account must send more slowly.
 * - `wait_for_slot`: again as soon as one of the sender's running calls has ended.
 * - `fail`: the end for this message or call.
 * - `check_template`: the same, and our copy of the template may not be what the platform has.
 * - `stop_template`: no message of this template can go out until it is approved again; this one waits with them.
 * - `stop_sender`: nothing of this sender can go out until somebody acts.
 * - `stop_sender_for_good`: the same, and only the platform can lift it: it has locked the account.
 */
export type ErrorAction =
  | "retry"
  | "retry_recipient"
  | "slow_sender"
  | "wait_for_slot"
  | "fail"
  | "check_template"
  | "stop_template"
  | "stop_sender"
  | "stop_sender_for_good";

/** What to do about a refusal, and why it happened in words for people. */
export interface RefusalAdvice {
  action: ErrorAction;
  reason: string;
}

/**
 * What became of a message or of a call's start. Only `unknown` may have reached the recipient without our being told;
 * `not_sent` surely never left this machine.
 */
export type SendOutcome =
  | {
    kind: "accepted";
    /** The platform's id of the message, or of the conversation a call leads to. */
    providerMessageId: string;
    httpStatus: number;
    /** Taken, but kept back by the platform for a while. */
    held: boolean;
  }
  | {
    kind: "refused";
    action: ErrorAction;
    /** The platform's own code, where it gave one. */
    code: number | string | null;
    /** 0 when nothing was asked of the platform, because it could only have refused. */
    httpStatus: number;
    reason: string;
    retryAfterS?: number;
  }
  | { kind: "not_sent"; reason: string }
  | { kind: "unknown"; httpStatus: number | null; reason: string };
