import { isSameNumber } from "../values/address.ts";
import type {
  ClaimedNotification,
  FinishedNotification,
  SenderChange,
  StoppedTemplate,
} from "../db/queue/dispatch_queue.ts";
import type { NumberAlias } from "../db/contacts/number_aliases.ts";
import type { SendOutcome } from "../gateways/send_outcome.ts";
import type { Postponement } from "./hours_and_caps.ts";
import { resendDelayS, retryOrFail } from "./retry_delay.ts";

/** The consequences of one attempt. */
export interface Judgement {
  result: FinishedNotification;
  /** The change of the sender; null when nothing was tried. */
  sender: SenderChange | null;
  /** Before the attempt the platform could not be reached through this sender. */
  wasUnreachable: boolean;
  /** Set when the template must be taken out of use. */
  template: StoppedTemplate | null;
  /** The refusal suggests that our copy of the template differs from the platform's. */
  templateDiffers: boolean;
  /** Set when the platform writes the recipient's number in another way. */
  alias: NumberAlias | null;
}

/** One attempt to send a notification. */
export interface Attempt {
  notification: ClaimedNotification;
  startedAt: Date;
  outcome: SendOutcome;
  /** Evenly spread over 0 ≤ x < 1. */
  random: number;
}

type ResultFields = Partial<FinishedNotification> & Pick<FinishedNotification, "outcome">;

const REACHED = { change: "reached" } as const;

/** Judges what one attempt means for the notification, its sender and its template. */
export function judgeOutcome(attempt: Attempt): Judgement {
  const { outcome } = attempt;
  switch (outcome.kind) {
    case "accepted": {
      const sent = judgement(attempt, {
        outcome: "sent",
        http_status: outcome.httpStatus,
        platform_message_id: outcome.platformMessageId,
      }, REACHED);
      if (outcome.heldForQuality) sent.result.held_for_quality = true;
      sent.alias = aliasOf(attempt.notification, outcome.platformNumber);
      return sent;
    }
    case "unknown":
      return judgement(attempt, {
        outcome: "unknown",
        http_status: outcome.httpStatus,
        reason: outcome.reason,
      }, { change: "unreachable" });
    case "not_sent":
      return judgement(attempt, {
        outcome: "not_sent",
        reason: outcome.reason,
        retry_in_s: resendDelayS(attempt.random),
      }, { change: "unreachable" });
    case "refused":
      return judgeRefusal(attempt, outcome);
  }
}

/**
 * Returns the judgement for a message whose template keeps it from being sent; null when it may be sent. A message of a
 * template that is not approved is released, and the database holds it. A message that was filled for other variables
 * than the template has now fails: its text would be wrong.
 */
export function refuseByTemplate(notification: ClaimedNotification, startedAt: Date): Judgement | null {
  const { template_status, template_changed, template_name } = notification;
  if (template_status !== null && template_status !== "approved") return releasedUntried(notification);
  if (!template_changed) return null;
  const reason =
    `The template ${template_name} was changed after the request was accepted: it needs other values`;
  return judgement({ notification, startedAt }, {
    outcome: "failed",
    error_code: "template_changed",
    reason,
  }, null);
}

/** Returns the judgement for a claimed notification that goes back to the queue untried. */
export function releasedUntried(notification: ClaimedNotification): Judgement {
  return judgement({ notification, startedAt: new Date() }, { outcome: "released" }, null);
}

/** Returns the judgement for a notification claimed outside its sending hours: it waits, and its time to live grows by as much. */
export function postponed(
  notification: ClaimedNotification,
  { now, until, code, reason }: Postponement & { now: Date },
): Judgement {
  const facts = {
    outcome: "postponed",
    error_code: code,
    reason,
    retry_in_s: (until.getTime() - now.getTime()) / 1000,
  } as const;
  return judgement({ notification, startedAt: now }, facts, null);
}

/** Judges a notification whose preparation failed by a fault of ours: it was not sent, and its sender is none the worse. */
export function unprepared(notification: ClaimedNotification, startedAt: Date, random: number): Judgement {
  const reason = "The message could not be prepared; the log of the service says why";
  const facts = { outcome: "not_sent", reason, retry_in_s: resendDelayS(random) } as const;
  return judgement({ notification, startedAt }, facts, null);
}

/** Judges a notification that a rule about its recipient keeps from leaving: frequency_cap. */
export function skipped(notification: ClaimedNotification, startedAt: Date, code: string): Judgement {
  return judgement({ notification, startedAt }, { outcome: "skipped", error_code: code }, null);
}

/** An alias is recorded only between spellings of one number by known rules: of anything else, one person would become two. */
function aliasOf(
  { company_id, number }: ClaimedNotification,
  platform_number: string | null,
): NumberAlias | null {
  if (number === null || platform_number === null || number === platform_number) return null;
  return isSameNumber(number, platform_number) ? { company_id, number, platform_number } : null;
}

type Refusal = Extract<SendOutcome, { kind: "refused" }>;

function judgeRefusal(attempt: Attempt, refusal: Refusal): Judgement {
  const { notification: { attempt: tried }, random } = attempt;
  const facts = {
    http_status: refusal.httpStatus,
    error_code: refusal.code === null ? null : String(refusal.code),
    reason: refusal.reason,
  };
  switch (refusal.action) {
    case "retry":
    case "retry_recipient":
      return judgement(attempt, { ...facts, ...retryOrFail({ attempt: tried, refusal, random }) }, REACHED);
    case "slow_sender":
    case "wait_for_slot":
      return judgement(attempt, {
        ...facts,
        outcome: "not_sent",
        retry_in_s: Math.max(refusal.retryAfterS ?? 0, resendDelayS(attempt.random)),
      }, { change: "slow_down" });
    case "stop_sender":
    case "lock_sender":
      return judgement(attempt, { ...facts, outcome: "not_sent", retry_in_s: 0 }, {
        change: "stop",
        reason: refusal.reason,
        code: facts.error_code,
        locked: refusal.action === "lock_sender",
      });
    case "stop_template":
      return judgeTemplateStop(attempt, refusal, facts);
    case "check_template":
      return { ...judgement(attempt, { ...facts, outcome: "failed" }, REACHED), templateDiffers: true };
    case "fail":
      return judgement(attempt, { ...facts, outcome: "failed" }, REACHED);
  }
}

/** Judges a refusal of the template: the message waits, with all others of it, until it is approved again. */
function judgeTemplateStop(
  attempt: Attempt,
  refusal: Refusal,
  facts: Partial<FinishedNotification>,
): Judgement {
  const { company_id, template_id } = attempt.notification;
  if (template_id === null) return judgement(attempt, { ...facts, outcome: "failed" }, REACHED);
  const retry_in_s = resendDelayS(attempt.random);
  return {
    ...judgement(attempt, { ...facts, outcome: "not_sent", retry_in_s }, REACHED),
    template: { company_id, template_id, reason: refusal.reason, at: attempt.startedAt.toISOString() },
  };
}

function judgement(
  { notification, startedAt }: Pick<Attempt, "notification" | "startedAt">,
  fields: ResultFields,
  change: Pick<SenderChange, "change" | "reason" | "code" | "locked"> | null,
): Judgement {
  const { company_id, id, fence, attempt, sender_id, was_unreachable: wasUnreachable } = notification;
  return {
    result: {
      company_id,
      id,
      fence,
      attempt,
      started_at: startedAt.toISOString(),
      http_status: null,
      error_code: null,
      reason: null,
      platform_message_id: null,
      retry_in_s: null,
      ...fields,
    },
    sender: change && { company_id, sender_id, ...change },
    wasUnreachable,
    template: null,
    templateDiffers: false,
    alias: null,
  };
}
