import { createBatcher } from "../batcher.ts";
import { isSecretsKeyRight, WRONG_SECRETS_KEY } from "../access/secrets_canary.ts";
import {
  type ClaimedNotification,
  claimNotifications,
  millisecondsUntilDue,
  type NotificationKey,
  renewLeases,
  tick,
} from "../db/dispatch_queue.ts";
import { continueStopping } from "../db/campaign_control.ts";
import { cleanUpWhenDue } from "../db/settings.ts";
import { startDeliveries } from "../events_out/start_deliveries.ts";
import { describeError } from "../log.ts";
import { oncePer } from "../once_per.ts";
import type { Services } from "../services.ts";
import { syncDueAccounts } from "../templates/sync_due_accounts.ts";
import { settleVoiceSessions } from "../widgets/settle_voice_sessions.ts";
import { applyWaitingAccountEvents } from "./apply_account_events.ts";
import { applyWaitingTemplateEvents } from "./apply_template_events.ts";
import { checkCalls } from "./check_calls.ts";
import { startElapsed } from "./elapsed.ts";
import { createFlightControl } from "./flight_control.ts";
import { type Judgement, releasedUntried } from "./judge_outcome.ts";
import { createLostClaims } from "./lost_claims.ts";
import { createWebhookProbe, probeEveryMs } from "./probe_webhook.ts";
import { createResultRecorder } from "./record_results.ts";
import { repeat } from "./repeat.ts";
import { createSilentAccountLog } from "./report_silent_accounts.ts";
import { createTries } from "./try_claimed.ts";

/** How often time is given the chance to bring something about: schedules are met to the second. */
const TICK_MS = 1000;
/** Templates are synced hourly, and a minute after a change that is only hinted at; whose turn it is, is looked up this often. */
const SYNC_LOOK_MS = 10_000;
/** Calls whose end nobody told us of are looked for this often at least. */
const CALLS_LOOK_MS = 5000;
/** Voice sessions whose length the platform may know by now are looked for this often. */
const SESSIONS_POLL_MS = 30_000;
/** Cancellations and pauses that were left half-way are looked for this often. */
const STOPPING_POLL_MS = 5000;
/** Housekeeping, where the database does not do it itself, is due once a minute. */
const CLEAN_UP_LOOK_MS = 60_000;
/** Work queued by another process is noticed after this long. */
const LOOK_MS = 250;
/** While work waits for its sender's next tokens. */
const PACED_MS = 25;
/** A dispatcher that is to end when it is idle waits this long for a sender whose rate holds it up. */
const IDLE_AFTER_MS = 1000;
const AFTER_ERROR_MS = 1000;
/** A company that has this many messages on their way does not get more while all lines are taken. */
const CROWD = 32;
const MOST_RESULTS_A_CALL = 500;
/** How often a process with a wrong SECRETS_KEY says so. */
const LOG_WRONG_KEY_MS = 60_000;

export interface DispatcherOptions {
  /** Ends the loop: what is in flight is finished, what was claimed and not sent is handed back. */
  signal: AbortSignal;
  /** Return when nothing can be sent right now, instead of waiting for more. */
  untilIdle?: boolean;
  /** Return after this many messages were claimed, and their results recorded. @default any number */
  maxMessages?: number;
  /** How many messages may be in flight at once. @default 512 */
  maxInFlight?: number;
}

/**
 * Works off the queue: claims what may leave, sends it, records what became of it. Any number of dispatchers may run
 * at once, here and elsewhere; a lease makes each row one's own, and is renewed while the row is being sent.
 */
export async function runDispatcher(services: Services, options: DispatcherOptions): Promise<void> {
  const { signal, untilIdle, maxMessages = Infinity, maxInFlight } = options;
  if (!await untilSecretsKeyIsRight(services, options)) return;
  const { env, log, newWork, sql } = services;
  const worker = crypto.randomUUID();
  const flights = createFlightControl({ ...(maxInFlight && { most: maxInFlight }) });
  const tries = createTries(services);
  const recorder = createResultRecorder(services, worker);
  const lostClaims = createLostClaims(services, worker);
  let left = maxMessages;
  /** Claimed, and the result not yet recorded: what leases are renewed for. */
  const held = new Set<ClaimedNotification>();
  /** What may have been sent although no result of it is or will be recorded; its lease runs out. */
  const abandoned = new Map<string, NotificationKey>();
  const results = createBatcher(async (judgements: Judgement[]) => {
    await recorder.record(judgements);
    return judgements;
  }, { maxItems: MOST_RESULTS_A_CALL });

  function abandon({ company_id, id }: ClaimedNotification): void {
    abandoned.set(id, { company_id, id });
  }

  async function report(notification: ClaimedNotification, judgement: Judgement): Promise<void> {
    try {
      await results.add(judgement);
    } catch (error) {
      abandon(notification);
      const { company_id, id, outcome, provider_message_id } = judgement.result;
      const message = { company_id, notification_id: id, outcome, provider_message_id };
      log.error("a result was dropped: it cannot be stored", { ...message, ...describeError(error) });
    } finally {
      held.delete(notification);
    }
  }

  async function deliver(notification: ClaimedNotification, isLate: () => boolean): Promise<void> {
    try {
      services.inBackground(report(notification, await tries(notification, isLate)));
    } catch (error) {
      abandon(notification);
      held.delete(notification);
      throw error;
    } finally {
      flights.landed();
    }
  }

  async function claim(wanted = flights.free(), except: string[] = []): Promise<number> {
    const limit = Math.min(wanted, left);
    if (limit === 0 || recorder.isHeldUp()) return 0;
    // A claim that was answered late, or a process that stood still: somebody else may hold the lease by now.
    const elapsedMs = startElapsed(services);
    const isLate = () => elapsedMs() > env.DISPATCH_LEASE_S * 1000 / 2;
    const claimed = await claimNotifications(sql, { worker, limit, leaseS: env.DISPATCH_LEASE_S, except });
    claimed.forEach((notification) => held.add(notification));
    left -= claimed.length;
    if (signal.aborted) {
      claimed.forEach((notification) =>
        services.inBackground(report(notification, releasedUntried(notification)))
      );
      return 0;
    }
    flights.tookOff(claimed.length, limit);
    claimed.forEach((notification) => services.inBackground(deliver(notification, isLate)));
    return claimed.length;
  }

  const releaseLostClaims = () => lostClaims.release(() => [...held, ...abandoned.values()]);

  /** Something may leave now, or as soon as its sender's rate allows. */
  async function isWorkDue(): Promise<boolean> {
    return (await millisecondsUntilDue(sql) ?? Infinity) <= IDLE_AFTER_MS;
  }

  /** The companies that keep the lines busy. */
  function crowds(): string[] {
    const counts = new Map<string, number>();
    for (const { company_id } of held) counts.set(company_id, (counts.get(company_id) ?? 0) + 1);
    return [...counts].filter(([, count]) => count >= CROWD).map(([company]) => company);
  }

  async function waitForWork(): Promise<void> {
    if (recorder.isHeldUp()) return await newWork.wait(LOOK_MS, signal);
    if (flights.free() === 0) {
      // All lines wait for a platform that is slow to answer somebody: the others need not wait as well.
      if (!await flights.untilFree(LOOK_MS, signal) && !signal.aborted) await claim(CROWD, crowds());
      return;
    }
    const due = await millisecondsUntilDue(sql) ?? LOOK_MS;
    await newWork.wait(due <= 0 ? PACED_MS : Math.min(due, LOOK_MS), signal);
  }

  const reportSilentAccounts = createSilentAccountLog(services);
  const deliveries = startDeliveries(services);
  const chores = [
    deliveries,
    repeat(
      services,
      TICK_MS,
      async () => reportSilentAccounts(await tick(sql, { windowS: env.UNCONFIRMED_WINDOW_S })),
    ),
    repeat(services, probeEveryMs(env), createWebhookProbe(services)),
    repeat(services, TICK_MS, () => services.applyEvents()),
    repeat(services, TICK_MS, () => applyWaitingAccountEvents(services)),
    repeat(services, TICK_MS, () => applyWaitingTemplateEvents(services)),
    repeat(services, STOPPING_POLL_MS, () => continueStopping(sql)),
    repeat(services, CLEAN_UP_LOOK_MS, (stopping) => cleanUpWhenDue(sql, { signal: stopping })),
    repeat(services, SYNC_LOOK_MS, () => syncDueAccounts(services)),
    repeat(services, Math.min(CALLS_LOOK_MS, env.CALL_CHECK_AFTER_S * 500), () => checkCalls(services)),
    repeat(services, SESSIONS_POLL_MS, () => settleVoiceSessions(services)),
    repeat(
      services,
      env.DISPATCH_LEASE_S * 1000 / 3,
      () => renewLeases(sql, { worker, leaseS: env.DISPATCH_LEASE_S, held: [...held] }),
    ),
  ];
  while (!signal.aborted && left > 0) {
    try {
      await releaseLostClaims();
      if (await claim() > 0) continue;
      if (untilIdle && flights.inFlight() === 0 && !await isWorkDue()) break;
      await waitForWork();
    } catch (error) {
      lostClaims.claimFailed();
      log.error("dispatcher: claiming failed", describeError(error));
      await newWork.wait(AFTER_ERROR_MS, signal);
    }
  }
  await releaseLostClaims().catch((error) =>
    log.warn("a lost claim waits out its lease", describeError(error))
  );
  await flights.allLanded();
  await results.idle();
  if (untilIdle && left > 0) await deliveries.untilIdle(signal);
  await Promise.all(chores.map((chore) => chore.stop()));
}

/**
 * Waits until SECRETS_KEY is known to be the right one. With another key nothing may be claimed: it would be put back
 * unsent, again and again. Returns false when the run is to end instead.
 */
async function untilSecretsKeyIsRight(
  services: Services,
  { signal, untilIdle }: DispatcherOptions,
): Promise<boolean> {
  const { log, newWork } = services;
  const logWrongKey = oncePer(LOG_WRONG_KEY_MS, log.error);
  while (!signal.aborted) {
    try {
      if (await isSecretsKeyRight(services)) return true;
      logWrongKey(`dispatcher: nothing is sent. ${WRONG_SECRETS_KEY}`);
      if (untilIdle) return false;
    } catch (error) {
      log.error("dispatcher: the database cannot be asked", describeError(error));
    }
    await newWork.wait(AFTER_ERROR_MS, signal);
  }
  return false;
}
