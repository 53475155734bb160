import { createBatcher } from "../batcher.ts";
import {
  type ClaimedNotification,
  claimNotifications,
  millisecondsUntilDue,
  renewLeases,
  tick,
} from "../db/dispatch_queue.ts";
import { continueStopping } from "../db/campaign_control.ts";
import { cleanUpWhenDue } from "../db/settings.ts";
import { startDeliveries } from "../events_out/start_deliveries.ts";
import { describeError } from "../log.ts";
import type { Services } from "../services.ts";
import { syncDueAccounts } from "../templates/sync_due_accounts.ts";
import { applyWaitingTemplateEvents } from "./apply_template_events.ts";
import { callableFrom } from "./callable_from.ts";
import { checkCalls } from "./check_calls.ts";
import { createFlightControl } from "./flight_control.ts";
import { type Judgement, judgeOutcome, judgeTemplate, postponed, releasedUntried } from "./judge_outcome.ts";
import { createWebhookProbe, probeEveryMs } from "./probe_webhook.ts";
import { repeat } from "./repeat.ts";
import { createUnheardLog } from "./report_unheard.ts";
import { sendClaimed } from "./send_claimed.ts";
import { writeDown } from "./write_down.ts";

/** How often time is given the chance to bring something about: schedules are met to the second. */
const TICK_MS = 1000;
/** Templates are synced hourly, and a minute after a change that is only hinted at; whose turn it is, is looked up this often. */
const SYNC_LOOK_MS = 10_000;
/** Calls whose end nobody told us of are looked for this often at least. */
const CALLS_LOOK_MS = 5000;
/** Cancellations and pauses that were left half-way are looked for this often. */
const STOPPING_POLL_MS = 5000;
/** Housekeeping, where the database does not do it itself, is due once a minute. */
const CLEAN_UP_LOOK_MS = 60_000;
/** Work queued by another process is noticed after this long. */
const LOOK_MS = 250;
/** While work waits for its sender's next tokens. */
const PACED_MS = 25;
const AFTER_ERROR_MS = 1000;
/** A company that has this many messages on their way does not get more while all lines are taken. */
const CROWD = 32;
const MOST_RESULTS_A_CALL = 500;

export interface DispatcherOptions {
  /** Ends the loop: what is in flight is finished, what was claimed and not sent is handed back. */
  signal: AbortSignal;
  /** Return when nothing can be sent right now, instead of waiting for more. */
  untilIdle?: boolean;
}

/**
 * Works off the queue: claims what may leave, sends it, writes down what became of it. Any number of dispatchers may run
 * at once, here and elsewhere; a lease makes each row one's own, and is renewed while the row is being sent.
 */
export async function runDispatcher(
  services: Services,
  { signal, untilIdle }: DispatcherOptions,
): Promise<void> {
  const { env, log, newWork, sql } = services;
  const worker = crypto.randomUUID();
  const flights = createFlightControl();
  /** Claimed, and the result not yet written down: what leases are renewed for. */
  const held = new Set<ClaimedNotification>();
  const results = createBatcher(async (judgements: Judgement[]) => {
    await writeDown(services, worker, judgements);
    return judgements;
  }, { maxItems: MOST_RESULTS_A_CALL });

  function report(notification: ClaimedNotification, judgement: Judgement): void {
    services.inBackground(results.add(judgement).finally(() => held.delete(notification)));
  }

  async function deliver(notification: ClaimedNotification, sendBy: number): Promise<void> {
    try {
      if (performance.now() > sendBy) return report(notification, releasedUntried(notification));
      const startedAt = services.now();
      const unsent = judgeTemplate(notification, startedAt);
      if (unsent !== null) return report(notification, unsent);
      const until = callableFrom(notification, startedAt);
      if (until !== null) return report(notification, postponed(notification, { now: startedAt, until }));
      const outcome = await sendClaimed(services, notification);
      report(
        notification,
        judgeOutcome({ notification, startedAt, outcome, random: services.random() }),
      );
    } catch (error) {
      held.delete(notification);
      throw error;
    } finally {
      flights.landed();
    }
  }

  async function claim(limit = flights.free(), except: string[] = []): Promise<number> {
    if (limit === 0) return 0;
    // A claim that was answered late, or a process that stood still: somebody else may hold the lease by now.
    const sendBy = performance.now() + env.DISPATCH_LEASE_S * 1000 / 2;
    const claimed = await claimNotifications(sql, { worker, limit, leaseS: env.DISPATCH_LEASE_S, except });
    claimed.forEach((notification) => held.add(notification));
    if (signal.aborted) {
      claimed.forEach((notification) => report(notification, releasedUntried(notification)));
      return 0;
    }
    flights.tookOff(claimed.length, limit);
    claimed.forEach((notification) => services.inBackground(deliver(notification, sendBy)));
    return claimed.length;
  }

  /** Something may leave as soon as its sender's rate allows. */
  async function isWorkDue(): Promise<boolean> {
    return (await millisecondsUntilDue(sql) ?? LOOK_MS) <= 0;
  }

  /** The companies that keep the lines busy. */
  function crowds(): string[] {
    const counts = new Map<string, number>();
    for (const { company_id } of held) counts.set(company_id, (counts.get(company_id) ?? 0) + 1);
    return [...counts].filter(([, count]) => count >= CROWD).map(([company]) => company);
  }

  async function waitForWork(): Promise<void> {
    if (flights.free() === 0) {
      // All lines wait for a platform that is slow to answer somebody: the others need not wait as well.
      if (!await flights.untilFree(LOOK_MS, signal) && !signal.aborted) await claim(CROWD, crowds());
      return;
    }
    const due = await millisecondsUntilDue(sql) ?? LOOK_MS;
    await newWork.wait(due <= 0 ? PACED_MS : Math.min(due, LOOK_MS), signal);
  }

  const reportUnheard = createUnheardLog(services);
  const deliveries = startDeliveries(services);
  const chores = [
    deliveries,
    repeat(
      services,
      TICK_MS,
      async () => reportUnheard(await tick(sql, { windowS: env.UNCONFIRMED_WINDOW_S })),
    ),
    repeat(services, probeEveryMs(env), createWebhookProbe(services)),
    repeat(services, TICK_MS, () => services.applyEvents()),
    repeat(services, TICK_MS, () => applyWaitingTemplateEvents(services)),
    repeat(services, STOPPING_POLL_MS, () => continueStopping(sql)),
    repeat(services, CLEAN_UP_LOOK_MS, (stopping) => cleanUpWhenDue(sql, { signal: stopping })),
    repeat(services, SYNC_LOOK_MS, () => syncDueAccounts(services)),
    repeat(services, Math.min(CALLS_LOOK_MS, env.CALL_CHECK_AFTER_S * 500), () => checkCalls(services)),
    repeat(
      services,
      env.DISPATCH_LEASE_S * 1000 / 3,
      () => renewLeases(sql, { worker, leaseS: env.DISPATCH_LEASE_S, held: [...held] }),
    ),
  ];
  while (!signal.aborted) {
    try {
      if (await claim() > 0) continue;
      if (untilIdle && flights.inFlight() === 0 && !await isWorkDue()) break;
      await waitForWork();
    } catch (error) {
      log.error("dispatcher: claiming failed", describeError(error));
      await newWork.wait(AFTER_ERROR_MS, signal);
    }
  }
  await flights.allLanded();
  await results.idle();
  if (untilIdle) await deliveries.untilIdle(signal);
  await Promise.all(chores.map((chore) => chore.stop()));
}
