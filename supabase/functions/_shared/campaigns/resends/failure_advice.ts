import type { ErrorAction } from "../../gateways/send_outcome.ts";
import { VOICE_CODES } from "../../gateways/voice/errors.ts";
import { WHATSAPP_CODES } from "../../gateways/whatsapp/errors.ts";

/** The meaning of the code of a failed or skipped notification, and what to do about it. */
export interface FailureAdvice {
  /** In words for people, without a full stop. */
  meaning: string;
  whatToDo: string;
  /** Whether the stored message can succeed if it is resent once `whatToDo` is done. */
  canPass: boolean;
}

/** Advice for a platform's code, by what the dispatcher does about it. */
const BY_ACTION: Record<ErrorAction, Omit<FailureAdvice, "meaning">> = {
  retry: { whatToDo: "Resend: the fault was the platform's and outlasted our attempts", canPass: true },
  retry_recipient: { whatToDo: "Resend after some minutes", canPass: true },
  slow_sender: { whatToDo: "Lower the sender's rate, then resend", canPass: true },
  wait_for_slot: { whatToDo: "Resend when fewer calls are running", canPass: true },
  stop_sender: {
    whatToDo: "Correct it in the sender's account at the platform, resume the sender, then resend",
    canPass: true,
  },
  lock_sender: {
    whatToDo: "Appeal to the platform, and resend when the account is free",
    canPass: true,
  },
  stop_template: { whatToDo: "Correct the template, and resend when it is approved", canPass: true },
  check_template: {
    whatToDo: "Compare the values with the template as the platform has it, then send a new request",
    canPass: false,
  },
  fail: { whatToDo: "Correct the request, then send it again", canPass: false },
};

const CORRECT_VALUES = "Correct the values, then send a new request";
const OTHER_CHANNEL = "Reach the person on another channel";

/** Advice for single codes of the platforms that differs from that for their action. */
const BY_CODE: Record<string, [whatToDo: string, canPass: boolean]> = {
  100: [`${CORRECT_VALUES}; the reason names the parameter`, false],
  130403: ["Unblock the recipient at the platform, then resend", true],
  130472: [`${OTHER_CHANNEL}, or send a utility template`, false],
  130497: ["Leave out recipients in this country", false],
  131008: [CORRECT_VALUES, false],
  131009: [CORRECT_VALUES, false],
  131021: ["Send to a number other than the sender's", false],
  131026: [`Check the number, or ${lowerFirst(OTHER_CHANNEL)}`, false],
  131030: ["Add the number to the test number's list at the platform, then resend", true],
  131047: ["Send a template", false],
  131049: ["Wait a day, then resend", true],
  131050: ["Leave the person alone: the opt-out is recorded", false],
  131053: ["Make the file reachable at its URL in a type that WhatsApp takes, then resend", true],
  131062: ["Send to the person's number instead of the user id", false],
  132005: ["Shorten the values, then send a new request", false],
  132018: [
    "Take line breaks, tabs and long runs of spaces out of the values, then send a new request",
    false,
  ],
  135000: ["Compare the values with the template; the reason may say more", false],
  agent_not_found: ["Correct the agent at the platform, then resend", true],
};

/** Our own codes, and the outcomes of calls. */
const OWN: Record<string, [meaning: string, whatToDo: string, canPass: boolean]> = {
  expired: [
    "It was not sent within its time to live: its campaign was paused, or its sender or template could not be used",
    "See the reason; when that is over, resend",
    true,
  ],
  outcome_unknown: [
    "The platform never said whether it took it",
    "The recipient may have received it. If twice is better than never, resend this code by name",
    false,
  ],
  template_changed: [
    "The template needs other values than when the request was accepted",
    "Send a new request with the values that the template needs now",
    false,
  ],
  media_removed: [
    "The message's file was removed before it was sent",
    "Upload the file again, and send again",
    false,
  ],
  agent_disabled: [
    "The voice agent was disabled before the call was made",
    "Enable the agent, then resend",
    true,
  ],
  busy: ["The line was busy", "Resend", true],
  no_answer: ["The recipient did not take the call", "Resend at another time of the day", true],
  failed: [
    "The call could not be made, or it broke off with an error",
    "See the reason: correct the number or the agent, then resend this code by name",
    false,
  ],
  opted_out: ["The recipient does not want such messages", "Leave the person alone", false],
  no_consent: [
    "The recipient has not agreed to marketing, and the company requires it",
    "Record a consent, then resend",
    true,
  ],
  frequency_cap: [
    "The recipient was sent as many marketing messages as the company allows",
    "Resend when the cap's days are over",
    true,
  ],
  erased: ["The recipient was erased", "Nothing: the recipient is not known any more", false],
};

const UNKNOWN: FailureAdvice = {
  meaning: "This service does not know the code, or the platform gave none",
  whatToDo: "See the reason among the recipients, or the platform's documentation. To resend, name the code",
  canPass: false,
};

/** Every known code with its advice. docs/errors.md shows this table. */
export const FAILURE_ADVICE: ReadonlyMap<string, FailureAdvice> = new Map([
  ...Object.entries(OWN).map(([code, [meaning, whatToDo, canPass]]) =>
    [code, { meaning, whatToDo, canPass }] as const
  ),
  ...Object.entries(WHATSAPP_CODES).map(platformAdvice),
  ...Object.entries(VOICE_CODES).map(platformAdvice),
]);

/** The code of a notification that failed without one. */
export const NO_CODE = "unknown";

/** The codes that are resent unless the request names others. */
export const PASSING_CODES: readonly string[] = [...FAILURE_ADVICE]
  .filter(([, { canPass }]) => canPass)
  .map(([code]) => code);

/** Returns what a code means and what to do. */
export function adviceFor(code: string): FailureAdvice {
  return FAILURE_ADVICE.get(code) ?? UNKNOWN;
}

function platformAdvice([code, [action, meaning]]: [string, [ErrorAction, string]]): [string, FailureAdvice] {
  const [whatToDo, canPass] = BY_CODE[code] ?? [];
  const advice = BY_ACTION[action];
  return [code, {
    meaning,
    whatToDo: whatToDo ?? advice.whatToDo,
    canPass: canPass ?? advice.canPass,
  }];
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
