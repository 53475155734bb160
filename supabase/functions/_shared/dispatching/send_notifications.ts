import {
  type ClaimedNotification,
  claimNotifications,
  releaseClaimed,
  renewLeases,
} from "../db/queue/dispatch_queue.ts";
import type { Services } from "../services.ts";
import { codeLabel } from "../telemetry/metrics.ts";
import type { SpanFacts } from "../telemetry/tracing.ts";
import type { ClaimLimits, Queue, WaitForWork } from "../sending/queue.ts";
import { createSender, type Sender, type SenderOptions } from "../sending/sender.ts";
import type { Deliver } from "./deliver.ts";
import { type Judgement, releasedUntried } from "./judge_outcome.ts";
import type { Lookout } from "./lookout.ts";
import { createResultRecorder } from "./record_results.ts";

/** The maximum delay of work that another process queued. */
const POLL_MS = 250;
/** The same by default, while work waits for its sender's next tokens. */
const RATE_LIMITED_POLL_MS = 25;
/** A dispatcher that is to end when it is idle waits this long for a sender whose rate delays it. */
const IDLE_AFTER_MS = 1000;
/** While all slots are taken, a company with this many messages in flight gets no more. */
const BUSY_COMPANY_MIN = 32;

/** The sender of notifications, which counts. */
export interface NotificationSender extends Sender {
  /** Returns how many messages the platform accepted, as far as that is recorded. */
  sent(): number;
}

export interface NotificationSenderOptions extends SenderOptions {
  /** End when nothing can be sent right now, instead of waiting for more. */
  untilIdle?: boolean;
  /** @default 25 */
  rateLimitedPollMs?: number;
  lookout: Pick<Lookout, "untilDue">;
  /** Decides about each notification, and sends it. */
  deliver: Deliver;
}

/** Makes the sender of notifications, with an identity of its own: leases are in its name. */
export function createNotificationSender(
  services: Services,
  options: NotificationSenderOptions,
): NotificationSender {
  const { env, metrics, sql } = services;
  const worker = crypto.randomUUID();
  let sent = 0;

  async function claim(limits: ClaimLimits<ClaimedNotification>): Promise<ClaimedNotification[]> {
    const startedMs = performance.now();
    // All slots wait for one slow platform: the other companies need not wait as well.
    const except = limits.isFull ? busyCompanies(limits.claimed) : [];
    const { limit } = limits;
    const batch = await claimNotifications(sql, {
      worker,
      limit,
      leaseS: env.OUTBOUND_DISPATCH_LEASE_S,
      except,
    });
    const found = batch.length > 0 ? "some" : "none";
    metrics.claimDuration.observe([found], (performance.now() - startedMs) / 1000);
    for (const { channel, waited_s } of batch) {
      metrics.claimed.add([channel]);
      metrics.queueDelay.observe([channel], Math.max(0, waited_s));
    }
    return batch;
  }

  function countResult({ channel }: ClaimedNotification, { result }: Judgement): void {
    metrics.recorded.add([channel, result.outcome]);
    if (result.outcome === "sent") sent++;
    if (result.outcome === "failed") metrics.failed.add([channel, codeLabel(result.error_code)]);
  }

  const queue: Queue<ClaimedNotification, Judgement> = {
    name: "notifications",
    span: "send",
    leaseS: env.OUTBOUND_DISPATCH_LEASE_S,
    maxWhenFull: BUSY_COMPANY_MIN,
    claim,
    deliver: options.deliver,
    released: releasedUntried,
    finish: createResultRecorder(services, worker),
    release: (known) => releaseClaimed(sql, { worker, known }),
    renew: (notifications) =>
      renewLeases(sql, { worker, leaseS: env.OUTBOUND_DISPATCH_LEASE_S, notifications }),
    recorded(batch, ms) {
      metrics.recordDuration.observe([], ms / 1000);
      batch.forEach(({ item, judgement }) => countResult(item, judgement));
    },
    waitForWork: (wait) => waitUntilDue(services, options, wait),
    facts: factsOf,
    describe: ({ result: { company_id, id, outcome, platform_message_id } }) => ({
      company_id,
      notification_id: id,
      outcome,
      platform_message_id,
    }),
  };
  return { ...createSender(services, queue, options), sent: () => sent };
}

function busyCompanies(claimed: ReadonlySet<ClaimedNotification>): string[] {
  const counts = new Map<string, number>();
  for (const { company_id } of claimed) counts.set(company_id, (counts.get(company_id) ?? 0) + 1);
  return [...counts].filter(([, count]) => count >= BUSY_COMPANY_MIN).map(([company]) => company);
}

/**
 * Looks when the next message is due, again and again, and resolves with true at that time, or at once when this process
 * queued something. What was due before the first look waits for its sender's next tokens, or for another claim. Resolves
 * with false, at once, when nothing is in flight and nothing is due within a second, but only if `untilIdle`.
 */
async function waitUntilDue(
  { newWork }: Pick<Services, "newWork">,
  { lookout, untilIdle, rateLimitedPollMs = RATE_LIMITED_POLL_MS }: NotificationSenderOptions,
  { isEmpty, maxMs, stopping }: WaitForWork,
): Promise<boolean> {
  const until = performance.now() + maxMs;
  for (let isFirst = true;; isFirst = false) {
    const wasEmpty = isEmpty();
    const due = await lookout.untilDue();
    if (due <= 0 && !isFirst) return true;
    if (untilIdle && wasEmpty && due > IDLE_AFTER_MS) return false;
    const waitMs = due <= 0 ? rateLimitedPollMs : Math.min(due, POLL_MS);
    const isNotified = await newWork.wait(waitMs, stopping);
    if (isNotified || stopping.aborted || due <= waitMs || performance.now() >= until) return true;
  }
}

function factsOf({ company_id, campaign_id, id, channel, attempt }: ClaimedNotification): SpanFacts {
  return {
    "outbound.company_id": company_id,
    "outbound.campaign_id": campaign_id,
    "outbound.notification_id": id,
    "outbound.channel": channel,
    "outbound.attempt": attempt,
  };
}
