import { createWakeSignal } from "../concurrency/wake_signal.ts";
import { describeError, failureLevel } from "../log.ts";
import type { Services } from "../services.ts";
import { codeLabel } from "../telemetry/metrics.ts";
import { readTraceparent } from "../telemetry/trace_context.ts";
import { createTracedBatcher } from "../telemetry/traced_batcher.ts";
import { createConcurrencyLimit } from "./concurrency_limit.ts";
import { createLostClaims, startLease } from "./leases.ts";
import type { Attempted, Judged, Leased, Queue } from "./queue.ts";
import { retryRecording } from "./retry_recording.ts";

const POLL_MS = 250;
const AFTER_ERROR_MS = 1000;
const MAX_RESULTS_PER_BATCH = 500;
/** The maximum of a timer. */
const FOREVER_MS = 2 ** 31 - 1;

/** Why a sender ended: nothing was due, `maxMessages` were claimed, or it was stopped. */
export type SenderEnd = "idle" | "max_messages" | "stopped";

/** The loop that sends what one queue holds. */
export interface Sender {
  /** Claims, delivers and records until the sender ends. Resolves when everything that it claimed is recorded. */
  run(): Promise<SenderEnd>;
  /** Makes the sender claim soon: something may be due. */
  wake(): void;
  /** Keeps what is claimed, until its result is recorded. */
  renewLeases(): Promise<void>;
  /** Ends the sender, now or once nothing is due and nothing in flight. Resolves as `run` does. */
  stop(when: "now" | "idle"): Promise<void>;
}

export interface SenderOptions {
  /** Stops the sender when it aborts. */
  signal: AbortSignal;
  /** @default any number */
  maxMessages?: number;
  /** @default 512 */
  maxInFlight?: number;
}

/**
 * Makes the sender of a queue. Any number may run at once, in any number of processes.
 *
 * Invariants:
 * 1. A row is sent only by the worker whose fence it carries, within half its lease by the later of wall clock and
 *    monotonic clock (`startLease`, `isLate`).
 * 2. Every claimed row ends in one recorded result, or in its lease running out (`claimed`, `abandoned`).
 * 3. A lease is renewed until its result is recorded, where the queue renews (`renewLeases`).
 * 4. Stopping claims nothing, finishes what was sent, and hands back the rest (`claim`, `run`).
 * 5. A claim whose response was lost is handed back (`createLostClaims`).
 * 6. Recording twice changes nothing (`Queue.finish`).
 * 7. A result is never dropped, except by an error that its own data causes (`retryRecording`, `record`).
 * 8. Nothing new is claimed while results cannot be recorded (`isBlocked`).
 */
export function createSender<Item extends Leased, Judgement extends Judged>(
  services: Services,
  queue: Queue<Item, Judgement>,
  { signal, maxMessages = Infinity, maxInFlight }: SenderOptions,
): Sender {
  const { log, tracing } = services;
  const slots = createConcurrencyLimit({ ...(maxInFlight && { max: maxInFlight }) });
  const wakes = createWakeSignal();
  const stopped = new AbortController();
  const stopping = AbortSignal.any([signal, stopped.signal]);
  /** The result is not yet recorded. */
  const claimed = new Set<Item>();
  /** Possibly sent, although no result is or will be recorded: their leases run out. */
  const abandoned = new Set<Item>();
  const lostClaims = createLostClaims(
    log,
    { queue: queue.name, leaseS: queue.leaseS },
    () => queue.release([...claimed, ...abandoned]),
  );
  const traced = { tracing, name: "record results" };
  const results = createTracedBatcher(traced, recordBatch, { maxItems: MAX_RESULTS_PER_BATCH });
  let left = maxMessages;
  let isBlocked = false;
  let endsWhenIdle = false;
  let running: Promise<SenderEnd> | undefined;

  /** Claims rows and delivers them in the background. Returns how many. */
  async function claim(wanted: number): Promise<number> {
    const limit = Math.min(wanted, left);
    if (limit === 0 || isBlocked || stopping.aborted) return 0;
    const isLate = startLease(services, queue.leaseS);
    const startedMs = performance.now();
    const batch = await queue.claim({ limit, claimed, isFull: slots.free() === 0 });
    batch.forEach((item) => claimed.add(item));
    left -= batch.length;
    if (stopping.aborted) {
      batch.forEach((item) => record(item, queue.released(item)));
      return 0;
    }
    slots.started(batch.length, limit);
    if (batch.length === 0) return 0;
    const facts = { "outbound.queue": queue.name, "outbound.batch_size": batch.length };
    await tracing.span("claim", { startedMs, facts }, () => {
      batch.forEach((item) => services.inBackground(send(item, isLate)));
      return Promise.resolve();
    });
    return batch.length;
  }

  async function send(item: Item, isLate: () => boolean): Promise<void> {
    try {
      const request = readTraceparent(item.trace);
      const options = { kind: "client", facts: queue.facts(item), links: request ? [request] : [] } as const;
      await tracing.span(queue.span, options, async (span) => {
        const judgement = await queue.deliver(item, isLate);
        const { outcome, error_code } = judgement.result;
        span.set({ "outbound.outcome": outcome, "outbound.error_code": codeLabel(error_code ?? null) });
        record(item, judgement);
      });
    } catch (error) {
      abandon(item);
      throw error;
    } finally {
      slots.finished();
    }
  }

  /** Records in the background: the slot of a row is free while its result waits. */
  function record(item: Item, judgement: Judgement): void {
    services.inBackground(
      results.add({ item, judgement }).catch((error) => {
        abandon(item);
        const attempt = queue.describe(judgement);
        log.error("a result was dropped: it cannot be stored", { ...attempt, ...describeError(error) });
      }),
    );
  }

  async function recordBatch(batch: Attempted<Item, Judgement>[]): Promise<Attempted<Item, Judgement>[]> {
    const startedMs = performance.now();
    const judgements = batch.map(({ judgement }) => judgement);
    try {
      await retryRecording(() => queue.finish(judgements), (error) => {
        isBlocked = true;
        const waiting = { queue: queue.name, results: batch.length };
        log.warn("results wait for the database", { ...waiting, ...describeError(error) });
      });
    } finally {
      isBlocked = false;
    }
    batch.forEach(({ item }) => claimed.delete(item));
    queue.recorded(batch, performance.now() - startedMs);
    wakes.notify();
    return batch;
  }

  function abandon(item: Item): void {
    abandoned.add(item);
    claimed.delete(item);
    wakes.notify();
  }

  /** Resolves when it is time to claim again, and with false when the sender is to end because it is idle. */
  async function waitForWork(): Promise<boolean> {
    if (isBlocked) {
      await wakes.wait(POLL_MS, stopping);
    } else if (slots.free() === 0) {
      const isFree = await slots.untilFree(POLL_MS, stopping);
      if (!isFree) await claim(queue.maxWhenFull ?? 0);
    } else if (queue.waitForWork) {
      const isEmpty = () => slots.inFlight() === 0;
      return await queue.waitForWork({ isEmpty, maxMs: lostClaims.dueInMs(), stopping });
    } else if (endsWhenIdle && claimed.size === 0) {
      return false;
    } else {
      await wakes.wait(Math.min(lostClaims.dueInMs(), FOREVER_MS), stopping);
    }
    return true;
  }

  async function run(): Promise<SenderEnd> {
    let isIdle = false;
    while (!stopping.aborted && !isIdle && left > 0) {
      try {
        await lostClaims.release();
        if (await claim(slots.free()) > 0 || stopping.aborted) continue;
        isIdle = !await waitForWork();
      } catch (error) {
        lostClaims.claimFailed();
        log[failureLevel(error)]("claiming failed", { queue: queue.name, ...describeError(error) });
        await wakes.wait(AFTER_ERROR_MS, stopping);
      }
    }
    await lostClaims.releaseAtEnd();
    await slots.idle();
    await results.idle();
    return isIdle ? "idle" : left > 0 ? "stopped" : "max_messages";
  }

  return {
    run: () => running ??= run(),
    wake: wakes.notify,
    renewLeases: async () => await queue.renew?.([...claimed]),
    async stop(when) {
      if (when === "now") stopped.abort();
      endsWhenIdle = true;
      wakes.notify();
      await running;
    },
  };
}
