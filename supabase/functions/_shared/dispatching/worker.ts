import {
  type ClaimedNotification,
  claimNotifications,
  type NotificationKey,
  releaseClaimed,
  renewLeases,
} from "../db/queue/dispatch_queue.ts";
import { describeError, failureLevel } from "../log.ts";
import type { Services } from "../services.ts";
import { codeLabel } from "../telemetry/metrics.ts";
import { readTraceparent } from "../telemetry/trace_context.ts";
import { createTracedBatcher } from "../telemetry/traced_batcher.ts";
import type { SpanFacts } from "../telemetry/tracing.ts";
import { createConcurrencyLimit } from "./concurrency_limit.ts";
import type { Deliver } from "./deliver.ts";
import { type Judgement, releasedUntried } from "./judge_outcome.ts";
import { createLostClaims, startLease } from "./leases.ts";
import type { Lookout } from "./lookout.ts";
import { createResultRecorder } from "./record_results.ts";

/** The maximum delay of work that another process queued. */
const POLL_MS = 250;
/** The same by default, while work waits for its sender's next tokens. */
const RATE_LIMITED_POLL_MS = 25;
/** A dispatcher that is to end when it is idle waits this long for a sender whose rate delays it. */
const IDLE_AFTER_MS = 1000;
const AFTER_ERROR_MS = 1000;
/** While all slots are taken, a company with this many messages in flight gets no more. */
const BUSY_COMPANY_MIN = 32;
const MAX_RESULTS_PER_BATCH = 500;

/** Claims notifications, delivers them and records the results. */
export interface Worker {
  /** Returns whether more may be claimed: `maxMessages` are not used up. */
  mayClaim(): boolean;
  /** Returns how many messages the platform accepted, as far as that is recorded. */
  sent(): number;
  /**
   * Claims as many notifications as there are free slots, and delivers them in the background. Returns how many. Throws
   * when the database fails; then call `claimFailed`.
   */
  claim(): Promise<number>;
  /** Notes, logs and waits out a failure to claim: the database may have made the claim nevertheless. */
  claimFailed(error: unknown): Promise<void>;
  /**
   * Resolves when it is time to claim again: with true, or with false, at once, when nothing is in flight and nothing is
   * due within a second, but only if `untilIdle`. Throws as `claim` does.
   */
  waitForWork(untilIdle?: boolean): Promise<boolean>;
  /** Keeps what is claimed, until its result is recorded. */
  renewLeases(): Promise<void>;
  /** Hands back lost claims, and resolves when everything in flight has finished and is recorded. */
  drain(): Promise<void>;
}

export interface WorkerOptions {
  /** When it aborts, nothing more is delivered: a claim under way is handed back. */
  signal: AbortSignal;
  /** @default any number */
  maxMessages?: number;
  maxInFlight?: number;
  /** @default 25 */
  rateLimitedPollMs?: number;
  lookout: Pick<Lookout, "untilDue">;
  /** Decides about each notification, and sends it. */
  deliver: Deliver;
}

/** Makes a worker with an identity of its own: leases are in its name. */
export function createWorker(
  services: Services,
  { signal, maxMessages = Infinity, maxInFlight, rateLimitedPollMs = RATE_LIMITED_POLL_MS, lookout, deliver }:
    WorkerOptions,
): Worker {
  const { env, log, metrics, newWork, sql, tracing } = services;
  const worker = crypto.randomUUID();
  const slots = createConcurrencyLimit({ ...(maxInFlight && { max: maxInFlight }) });
  const recorder = createResultRecorder(services, worker);
  const lostClaims = createLostClaims(services, (known) => releaseClaimed(sql, { worker, known }));
  /** Claimed, and the result not yet recorded: their leases are renewed. */
  const claimed = new Set<ClaimedNotification>();
  /** Possibly sent, although no result is or will be recorded: their leases run out. */
  const abandoned = new Map<string, NotificationKey>();
  let left = maxMessages;
  let sent = 0;
  const traced = { tracing, name: "record results" };
  const results = createTracedBatcher(traced, async (judgements: Judgement[]) => {
    await recorder.record(judgements);
    return judgements;
  }, { maxItems: MAX_RESULTS_PER_BATCH });

  async function claimFor(wanted: number, except: string[] = []): Promise<number> {
    const limit = Math.min(wanted, left);
    if (limit === 0 || recorder.isBlocked()) return 0;
    const isLate = startLease(services);
    const startedMs = performance.now();
    const batch = await claimNotifications(sql, { worker, limit, leaseS: env.DISPATCH_LEASE_S, except });
    noteClaim(batch, performance.now() - startedMs);
    batch.forEach((notification) => claimed.add(notification));
    left -= batch.length;
    if (signal.aborted) {
      batch.forEach((notification) => record(notification, releasedUntried(notification)));
      return 0;
    }
    slots.started(batch.length, limit);
    if (batch.length === 0) return 0;
    const facts = { "outbound.batch_size": batch.length };
    await tracing.span("claim", { startedMs, facts }, () => {
      batch.forEach((notification) => services.inBackground(process(notification, isLate)));
      return Promise.resolve();
    });
    return batch.length;
  }

  function noteClaim(batch: ClaimedNotification[], ms: number): void {
    metrics.claimDuration.observe([batch.length > 0 ? "some" : "none"], ms / 1000);
    for (const { channel, waited_s } of batch) {
      metrics.claimed.add([channel]);
      metrics.queueDelay.observe([channel], Math.max(0, waited_s));
    }
  }

  async function process(notification: ClaimedNotification, isLate: () => boolean): Promise<void> {
    try {
      const request = readTraceparent(notification.trace);
      const options = {
        kind: "client",
        facts: factsOf(notification),
        links: request ? [request] : [],
      } as const;
      await tracing.span("send", options, async (span) => {
        const judgement = await deliver(notification, isLate);
        span.set({
          "outbound.outcome": judgement.result.outcome,
          "outbound.error_code": codeLabel(judgement.result.error_code),
        });
        record(notification, judgement);
      });
    } catch (error) {
      abandon(notification);
      throw error;
    } finally {
      slots.finished();
    }
  }

  /** Records in the background: the slot of a notification is free while its result waits. */
  function record(notification: ClaimedNotification, judgement: Judgement): void {
    services.inBackground(
      results.add(judgement).then(() => {
        claimed.delete(notification);
        noteResult(notification, judgement);
      }, (error) => {
        abandon(notification);
        const { company_id, id, outcome, provider_message_id } = judgement.result;
        const message = { company_id, notification_id: id, outcome, provider_message_id };
        log.error("a result was dropped: it cannot be stored", { ...message, ...describeError(error) });
      }),
    );
  }

  function noteResult({ channel }: ClaimedNotification, { result }: Judgement): void {
    metrics.recorded.add([channel, result.outcome]);
    if (result.outcome === "sent") sent++;
    if (result.outcome === "failed") metrics.failed.add([channel, codeLabel(result.error_code)]);
  }

  function abandon(notification: ClaimedNotification): void {
    const { company_id, id } = notification;
    abandoned.set(id, { company_id, id });
    claimed.delete(notification);
  }

  const releaseLostClaims = () => lostClaims.release(() => [...claimed, ...abandoned.values()]);

  function busyCompanies(): string[] {
    const counts = new Map<string, number>();
    for (const { company_id } of claimed) counts.set(company_id, (counts.get(company_id) ?? 0) + 1);
    return [...counts].filter(([, count]) => count >= BUSY_COMPANY_MIN).map(([company]) => company);
  }

  /**
   * Looks when the next message is due, again and again, and resolves with true at that time, or at once when this process
   * queued something. What was due before the first look waits for its sender's next tokens, or for another claim.
   */
  async function waitUntilDue(untilIdle: boolean): Promise<boolean> {
    for (let isFirst = true;; isFirst = false) {
      const isEmpty = slots.inFlight() === 0;
      const due = await lookout.untilDue();
      if (due <= 0 && !isFirst) return true;
      if (untilIdle && isEmpty && due > IDLE_AFTER_MS) return false;
      const waitMs = due <= 0 ? rateLimitedPollMs : Math.min(due, POLL_MS);
      const isNotified = await newWork.wait(waitMs, signal);
      if (isNotified || signal.aborted || due <= waitMs) return true;
    }
  }

  return {
    mayClaim: () => left > 0,
    sent: () => sent,
    async claim() {
      await releaseLostClaims();
      return await claimFor(slots.free());
    },
    async claimFailed(error) {
      lostClaims.claimFailed();
      log[failureLevel(error)]("dispatcher: claiming failed", describeError(error));
      await newWork.wait(AFTER_ERROR_MS, signal);
    },
    async waitForWork(untilIdle = false) {
      if (recorder.isBlocked()) {
        await newWork.wait(POLL_MS, signal);
      } else if (slots.free() === 0) {
        const isFree = await slots.untilFree(POLL_MS, signal);
        // All slots wait for one slow platform: the other companies need not wait as well.
        if (!isFree && !signal.aborted) await claimFor(BUSY_COMPANY_MIN, busyCompanies());
      } else {
        return await waitUntilDue(untilIdle);
      }
      return true;
    },
    renewLeases: () =>
      renewLeases(sql, { worker, leaseS: env.DISPATCH_LEASE_S, notifications: [...claimed] }),
    async drain() {
      await releaseLostClaims().catch((error) =>
        log.warn("a lost claim waits for its lease to run out", describeError(error))
      );
      await slots.idle();
      await results.idle();
    },
  };
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
