import type { ClaimedReply, FinishedReply } from "../db/contacts/replies.ts";
import type { SenderChange } from "../db/queue/dispatch_queue.ts";
import type { SendOutcome } from "../gateways/send_outcome.ts";
import { resendDelayS, retryOrFail } from "./retry_delay.ts";

/** The consequences of one attempt to send a reply. */
export interface ReplyJudgement {
  result: FinishedReply;
  /** The change of the sender; null when it stays as it is. */
  sender: SenderChange | null;
}

/**
 * Judges what one attempt means for the reply and its sender. A reply of unknown outcome is never sent again: a person who
 * reads the same sentence twice takes it for a machine's.
 *
 * @param random evenly spread over 0 ≤ x < 1
 */
export function judgeReply(reply: ClaimedReply, outcome: SendOutcome, random: number): ReplyJudgement {
  const { company_id, sender_id, attempt } = reply;
  switch (outcome.kind) {
    case "accepted":
      return judgement(reply, { outcome: "sent", platform_message_id: outcome.platformMessageId });
    case "unknown":
      return judgement(reply, { outcome: "unknown", reason: outcome.reason });
    case "not_sent":
      return judgement(reply, {
        outcome: "not_sent",
        reason: outcome.reason,
        retry_in_s: resendDelayS(random),
      });
    case "refused": {
      const facts = {
        error_code: outcome.code === null ? null : String(outcome.code),
        reason: outcome.reason,
      };
      switch (outcome.action) {
        case "retry":
        case "retry_recipient":
          return judgement(reply, { ...facts, ...retryOrFail({ attempt, refusal: outcome, random }) });
        case "slow_sender":
        case "wait_for_slot":
          return judgement(reply, {
            ...facts,
            outcome: "not_sent",
            retry_in_s: Math.max(outcome.retryAfterS ?? 0, resendDelayS(random)),
          }, { company_id, sender_id, change: "slow_down" });
        case "stop_sender":
        case "lock_sender":
          return judgement(reply, { ...facts, outcome: "not_sent", retry_in_s: 0 }, {
            company_id,
            sender_id,
            change: "stop",
            reason: outcome.reason,
            code: facts.error_code,
            locked: outcome.action === "lock_sender",
          });
        default:
          return judgement(reply, { ...facts, outcome: "failed" });
      }
    }
  }
}

/** Returns the judgement for a claimed reply that goes back to the queue untried. */
export function releasedReply(reply: ClaimedReply): ReplyJudgement {
  return judgement(reply, { outcome: "released" });
}

type ResultFields = Partial<FinishedReply> & Pick<FinishedReply, "outcome">;

function judgement(
  { company_id, id, fence }: ClaimedReply,
  fields: ResultFields,
  sender: SenderChange | null = null,
): ReplyJudgement {
  const nothing = { platform_message_id: null, error_code: null, reason: null, retry_in_s: null };
  return { result: { company_id, id, fence, ...nothing, ...fields }, sender };
}
