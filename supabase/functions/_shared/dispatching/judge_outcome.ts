import type {
  ClaimedNotification,
  FinishedNotification,
  SenderChange,
  StoppedTemplate,
} from "../db/dispatch_queue.ts";
import type { SendOutcome } from "../gateways/send_outcome.ts";
import { MOST_ATTEMPTS, retryDelayS } from "./retry_delay.ts";

export interface Judgement {
  result: FinishedNotification;
  /** What the try says about the sender; null when nothing was tried. */
  sender: SenderChange | null;
  /** Before the try the platform could not be reached: that it answers is news. */
  troubled: boolean;
  /** Set when the template is to be taken out of use. */
  template: StoppedTemplate | null;
  /** The refusal hints that our copy of the template is not the platform's. */
  stale: boolean;
}

export interface Try {
  notification: ClaimedNotification;
  startedAt: Date;
  outcome: SendOutcome;
  /** Evenly spread over 0 ≤ x < 1. */
  random: number;
}

type Facts = Partial<FinishedNotification> & Pick<FinishedNotification, "outcome">;

const REACHED = { change: "reached" } as const;

/** Seconds before a message that found no open line, or a sender going too fast, is offered again. */
const OFFER_AGAIN_S = 1;

/** Decides what one try means for the notification, its sender and its template. */
export function judgeOutcome(attempt: Try): Judgement {
  const { outcome } = attempt;
  switch (outcome.kind) {
    case "accepted":
      return judgement(attempt, {
        outcome: "sent",
        http_status: outcome.httpStatus,
        provider_message_id: outcome.providerMessageId,
      }, REACHED);
    case "unknown":
      return judgement(attempt, {
        outcome: "unknown",
        http_status: outcome.httpStatus,
        reason: outcome.reason,
      }, {
        change: "unreachable",
      });
    case "not_sent":
      return judgement(attempt, {
        outcome: "not_sent",
        reason: outcome.reason,
        retry_in_s: OFFER_AGAIN_S * (1 + attempt.random),
      }, { change: "unreachable" });
    case "refused":
      return judgeRefusal(attempt, outcome);
  }
}

/**
 * What a template forbids before anything is sent; null when the message may go. A message of a template that is not
 * approved goes back untried, and is held where it is put back. One that was filled for other values than the template
 * has now would tell people something wrong.
 */
export function judgeTemplate(notification: ClaimedNotification, startedAt: Date): Judgement | null {
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

/** A notification that was claimed but must go back to the queue before it was tried. */
export function releasedUntried(notification: ClaimedNotification): Judgement {
  return judgement({ notification, startedAt: new Date() }, { outcome: "released" }, null);
}

/** A call that was claimed outside the hours in which it may be made: it waits, and gets as much longer to live. */
export function postponed(
  notification: ClaimedNotification,
  { now, until }: { now: Date; until: Date },
): Judgement {
  const facts = { outcome: "postponed", retry_in_s: (until.getTime() - now.getTime()) / 1000 } as const;
  return judgement({ notification, startedAt: now }, facts, null);
}

type Refusal = Extract<SendOutcome, { kind: "refused" }>;

function judgeRefusal(attempt: Try, refusal: Refusal): Judgement {
  const facts = {
    http_status: refusal.httpStatus,
    error_code: refusal.code === null ? null : String(refusal.code),
    reason: refusal.reason,
  };
  switch (refusal.action) {
    case "retry":
    case "retry_recipient":
      return judgement(attempt, { ...facts, ...retryOrFail(attempt, refusal) }, REACHED);
    case "slow_sender":
    case "wait_for_slot":
      return judgement(attempt, {
        ...facts,
        outcome: "not_sent",
        retry_in_s: Math.max(refusal.retryAfterS ?? 0, OFFER_AGAIN_S * (1 + attempt.random)),
      }, { change: "slow_down" });
    case "stop_sender":
    case "stop_sender_for_good":
      return judgement(attempt, { ...facts, outcome: "not_sent", retry_in_s: 0 }, {
        change: "stop",
        reason: refusal.reason,
        for_good: refusal.action === "stop_sender_for_good",
      });
    case "stop_template":
      return judgeStop(attempt, refusal, facts);
    case "check_template":
      return { ...judgement(attempt, { ...facts, outcome: "failed" }, REACHED), stale: true };
    case "fail":
      return judgement(attempt, { ...facts, outcome: "failed" }, REACHED);
  }
}

/** The message is as good as it was: it waits, with all others of the template, until that is approved again. */
function judgeStop(attempt: Try, refusal: Refusal, facts: Partial<FinishedNotification>): Judgement {
  const { company_id, template_id } = attempt.notification;
  if (template_id === null) return judgement(attempt, { ...facts, outcome: "failed" }, REACHED);
  const retry_in_s = OFFER_AGAIN_S * (1 + attempt.random);
  return {
    ...judgement(attempt, { ...facts, outcome: "not_sent", retry_in_s }, REACHED),
    template: { company_id, template_id, reason: refusal.reason, at: attempt.startedAt.toISOString() },
  };
}

function retryOrFail(attempt: Try, refusal: Refusal): Facts {
  const { attempt: number } = attempt.notification;
  if (number >= MOST_ATTEMPTS) {
    return { outcome: "failed", reason: `${refusal.reason} (given up after ${number} tries)` };
  }
  const reason = refusal.action === "retry_recipient" ? "recipient" : "general";
  const delay = retryDelayS(number, attempt.random, reason);
  return { outcome: "retry", retry_in_s: Math.max(refusal.retryAfterS ?? 0, delay) };
}

function judgement(
  { notification, startedAt }: Pick<Try, "notification" | "startedAt">,
  facts: Facts,
  change: Pick<SenderChange, "change" | "reason" | "for_good"> | null,
): Judgement {
  const { company_id, id, fence, attempt, sender_id, troubled } = notification;
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
      provider_message_id: null,
      retry_in_s: null,
      ...facts,
    },
    sender: change && { company_id, sender_id, ...change },
    troubled,
    template: null,
    stale: false,
  };
}
