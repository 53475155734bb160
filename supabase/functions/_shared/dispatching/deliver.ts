import { createBatcher } from "../concurrency/batcher.ts";
import { openToken } from "../crypto/sender_token.ts";
import { causeOf } from "../error_cause.ts";
import type { ClaimedNotification } from "../db/queue/dispatch_queue.ts";
import { type CappedSend, useFrequencyCaps } from "../db/queue/frequency_caps.ts";
import { resultOf } from "../errors.ts";
import type { SendOutcome } from "../gateways/send_outcome.ts";
import { describeError, oncePer } from "../log.ts";
import type { Services } from "../services.ts";
import {
  type Judgement,
  judgeOutcome,
  postponed,
  refuseByTemplate,
  releasedUntried,
  skipped,
  unprepared,
} from "./judge_outcome.ts";
import { overCap, postponementOf } from "./hours_and_caps.ts";
import { AGENT_DISABLED, NO_ACCESS_TOKEN, NO_API_KEY } from "./own_refusals.ts";
import { prepareSend, type Send, type SendServices } from "./send.ts";
import { prepareTest } from "./test_platform.ts";

const LOG_EVERY_MS = 60_000;
/** In the place of an opened token. */
const TEST_PLATFORM = { kind: "test" } as const;
/** Messages counted in one transaction: each locks the addresses of its person. */
const MAX_CAPPED = 100;
/** How long a message waits whose frequency caps cannot be read. */
const UNCOUNTED_MS = 2000;

/** Decides whether one claimed notification may be sent, sends it if so, and judges the outcome. */
export type Deliver = (notification: ClaimedNotification, isLate: () => boolean) => Promise<Judgement>;

/** Makes the function that delivers. It releases a notification as soon as `isLate`: another worker may hold its lease. */
export function createDeliver(services: Services, connections: SendServices["connections"]): Deliver {
  const { env, eventStores, log, metrics, now, platformMedia, random, sealer, sql, tracing } = services;
  const logUnreadable = oncePer(LOG_EVERY_MS, log.error);
  const logUnprepared = oncePer(LOG_EVERY_MS, log.error);
  const logUncounted = oncePer(LOG_EVERY_MS, log.error);
  const caps = createBatcher((sends: CappedSend[]) => useFrequencyCaps(sql, sends), {
    maxItems: MAX_CAPPED,
    isOfOneItem: (error) => causeOf(error) === "data",
  });

  /** It has not left, and must not before it is known how much its recipient was sent. */
  function untilCounted(notification: ClaimedNotification, now: Date, error: unknown): Judgement {
    logUncounted("frequency caps cannot be read: their messages wait", describeError(error));
    const reason = "It is not known yet how much marketing the recipient was sent";
    const until = new Date(now.getTime() + UNCOUNTED_MS);
    return postponed(notification, { now, until, code: "rules_unreadable", reason });
  }

  /** Returns what sends the notification, or the judgement of one that is not sent now. */
  async function prepare(
    notification: ClaimedNotification,
    startedAt: Date,
    { isLate, judge }: { isLate: () => boolean; judge: (outcome: SendOutcome) => Judgement },
  ): Promise<Send | Judgement> {
    if (isLate()) return releasedUntried(notification);
    const refused = refuseByTemplate(notification, startedAt);
    if (refused !== null) return refused;

    const hasRules = notification.sending_hours !== null || notification.frequency_caps !== null;
    const postponement = hasRules ? await postponementOf(notification, startedAt) : null;
    if (postponement !== null) return postponed(notification, { now: startedAt, ...postponement });

    if (notification.agent_disabled) return judge(AGENT_DISABLED);

    const { channel, company_id, sender_id, test_account } = notification;
    // No token is opened for a test, so nothing could leave. A test is what the database says is one: before its migration
    // it says nothing.
    const opened = typeof test_account === "string" ? TEST_PLATFORM : await openToken(
      sealer,
      notification,
      channel === "voice" ? env.ELEVENLABS_API_KEY : undefined,
    );
    if (opened.kind === "unreadable") {
      const reason = `The sender's token cannot be opened: ${opened.reason}`;
      logUnreadable("a sender's token cannot be read", { company_id, sender_id, reason });
      return judge({ kind: "not_sent", reason });
    }

    if (hasRules) {
      const isOver = await resultOf(overCap(caps, notification, startedAt));
      if (!isOver.ok) return untilCounted(notification, startedAt, isOver.error);
      if (isOver.value) return skipped(notification, startedAt, "frequency_cap");
    }

    // The last moment to release it: the process may have been suspended since the first check.
    if (isLate()) return releasedUntried(notification);
    if (opened.kind === "test") return prepareTest({ eventStores, now }, notification);
    if (opened.kind === "missing") return judge(channel === "voice" ? NO_API_KEY : NO_ACCESS_TOKEN);
    return prepareSend({ env, connections, tracing, platformMedia }, notification, opened.token);
  }

  return async function deliver(notification, isLate) {
    const { channel, company_id } = notification;
    const startedAt = now();
    const judge = (outcome: SendOutcome) =>
      judgeOutcome({ notification, startedAt, outcome, random: random() });
    const prepared = await resultOf(prepare(notification, startedAt, { isLate, judge }));
    if (!prepared.ok) {
      logUnprepared("a message could not be prepared", { company_id, ...describeError(prepared.error) });
      return unprepared(notification, startedAt, random());
    }
    if (typeof prepared.value !== "function") return prepared.value;
    const startedMs = performance.now();
    const outcome = await prepared.value(isLate);
    metrics.sendDuration.observe([channel], (performance.now() - startedMs) / 1000);
    metrics.sent.add([channel, outcome.kind]);
    return judge(outcome);
  };
}
