import type { ClaimedNotification } from "../db/dispatch_queue.ts";
import { oncePer } from "../once_per.ts";
import type { Services } from "../services.ts";
import { callableFrom } from "./callable_from.ts";
import { type Judgement, judgeOutcome, judgeTemplate, postponed, releasedUntried } from "./judge_outcome.ts";
import { prepareSend } from "./prepare_send.ts";

const LOG_EVERY_MS = 60_000;

/**
 * Makes the function that tries one claimed notification and judges the outcome. It hands the notification back untried
 * as soon as `isLate`: somebody else may hold its lease by then.
 */
export function createTries(
  services: Services,
): (notification: ClaimedNotification, isLate: () => boolean) => Promise<Judgement> {
  const { log, now, random } = services;
  const logUnreadable = oncePer(LOG_EVERY_MS, log.error);

  return async (notification, isLate) => {
    if (isLate()) return releasedUntried(notification);
    const startedAt = now();
    const unsent = judgeTemplate(notification, startedAt);
    if (unsent !== null) return unsent;
    const until = callableFrom(notification, startedAt);
    if (until !== null) return postponed(notification, { now: startedAt, until });
    const prepared = await prepareSend(services, notification);
    if (prepared.kind === "unreadable") {
      const { company_id, sender_id } = notification;
      logUnreadable("a sender's token cannot be read", { company_id, sender_id, reason: prepared.reason });
      const outcome = { kind: "not_sent", reason: prepared.reason } as const;
      return judgeOutcome({ notification, startedAt, outcome, random: random() });
    }
    // The last moment at which it can be held back: the process may have stood still since the first look.
    if (isLate()) return releasedUntried(notification);
    const outcome = prepared.kind === "refused" ? prepared.outcome : await prepared.send();
    return judgeOutcome({ notification, startedAt, outcome, random: random() });
  };
}
