/**
 * The action that a platform's refusal asks for.
 *
 * - `retry`: send the same message or call again, later.
 * - `retry_recipient`: the same, but only messages to this recipient must wait.
 * - `slow_sender`: retry later, and the sender or its account must send more slowly.
 * - `wait_for_slot`: retry as soon as one of the sender's running calls has ended.
 * - `fail`: this message or call has failed.
 * - `check_template`: the same, and our copy of the template may differ from the platform's.
 * - `stop_template`: no message of this template can go out until it is approved again; this one waits with them.
 * - `stop_sender`: nothing of this sender can go out until a member acts.
 * - `lock_sender`: the same, and only the platform can lift it: it has locked the account.
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
  | "lock_sender";

/** The action after a refusal, and its reason in words for people. */
export interface RefusalAdvice {
  action: ErrorAction;
  reason: string;
}

/**
 * The outcome of sending a message or starting a call. Only `unknown` may have reached the recipient without our knowing
 * it; `not_sent` certainly never left this machine.
 */
export type SendOutcome =
  | {
    kind: "accepted";
    /** The platform's id of the message, or of the conversation a call leads to. */
    platformMessageId: string;
    httpStatus: number;
    /** The recipient's number as the platform writes it; null where it does not say whose number that is. */
    platformNumber: string | null;
    /** The platform holds the message until it knows how people take its template. */
    heldForQuality?: true;
  }
  | {
    kind: "refused";
    action: ErrorAction;
    /** The platform's own code, where it gave one. */
    code: number | string | null;
    /** 0 when no request was made, because the platform could only have refused. */
    httpStatus: number;
    reason: string;
    retryAfterS?: number;
  }
  | { kind: "not_sent"; reason: string }
  | { kind: "unknown"; httpStatus: number | null; reason: string };
