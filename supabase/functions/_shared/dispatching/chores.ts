import { repeat } from "../concurrency/repeat.ts";
import { continueStopping } from "../db/campaign_control.ts";
import { continueResends } from "../db/resends.ts";
import { tick } from "../db/dispatch_queue.ts";
import { cleanUpWhenDue } from "../db/settings.ts";
import type { Services } from "../services.ts";
import { syncDueAccounts } from "../templates/sync_accounts.ts";
import { settleVoiceSessions } from "../widgets/settle_voice_sessions.ts";
import { applyWaitingAccountEvents, applyWaitingTemplateEvents } from "./apply_events.ts";
import { logOutages } from "./log_outages.ts";
import { checkCalls } from "./check_calls.ts";
import type { ReplySender } from "./send_replies.ts";
import { createSilentAccountLog, createWebhookProbe, probeEveryMs } from "./webhook_probe.ts";
import type { Worker } from "./worker.ts";

/** Schedules are met to the second. */
const TICK_MS = 1000;
/** Where pg_cron does not clean up, a dispatcher does so once per minute. */
const CLEAN_UP_POLL_MS = 60_000;
/** Templates are synced hourly, and a minute after a sync was requested. */
const SYNC_POLL_MS = 10_000;
const CALLS_POLL_MS = 5000;
const SESSIONS_POLL_MS = 30_000;
const STOPPING_POLL_MS = 5000;
/** A person waits for a reply. */
const REPLIES_POLL_MS = 500;
const OUTAGES_POLL_MS = 1000;

/** A chore: its name in the log, the milliseconds between two runs, and its work. */
type Chore = [name: string, everyMs: number, work: (stopping: AbortSignal) => Promise<unknown>];

/** The parts of a dispatcher that its chores use. */
interface ChoreParts {
  worker: Pick<Worker, "renewLeases">;
  replies: Pick<ReplySender, "send">;
}

function choresOf(services: Services, { worker, replies }: ChoreParts): Chore[] {
  const { env, sql } = services;
  const logSilentAccounts = createSilentAccountLog(services);
  const advanceTime = async () => logSilentAccounts(await tick(sql, { windowS: env.UNCONFIRMED_WINDOW_S }));
  return [
    ["report outages", OUTAGES_POLL_MS, () => logOutages(services)],
    ["renew leases", env.DISPATCH_LEASE_S * 1000 / 3, () => worker.renewLeases()],
    ["tick", TICK_MS, advanceTime],
    ["apply events of messages and calls", TICK_MS, () => services.applyEvents()],
    ["apply events of accounts", TICK_MS, () => applyWaitingAccountEvents(services)],
    ["apply events of templates", TICK_MS, () => applyWaitingTemplateEvents(services)],
    ["send replies", REPLIES_POLL_MS, (stopping) => replies.send(stopping)],
    ["probe the webhook", probeEveryMs(env), createWebhookProbe(services)],
    ["finish cancellations and pauses", STOPPING_POLL_MS, () => continueStopping(sql)],
    ["finish resends", STOPPING_POLL_MS, () => continueResends(sql, { ttlS: env.NOTIFICATION_TTL_S })],
    ["check calls", Math.min(CALLS_POLL_MS, env.CALL_CHECK_AFTER_S * 500), () => checkCalls(services)],
    ["sync templates", SYNC_POLL_MS, () => syncDueAccounts(services)],
    ["settle voice sessions", SESSIONS_POLL_MS, () => settleVoiceSessions(services)],
    ["clean up", CLEAN_UP_POLL_MS, (stopping) => cleanUpWhenDue(sql, { signal: stopping })],
  ];
}

/**
 * Starts the chores of a dispatcher, each at once and then at its interval. `stop` resolves when those under way have
 * ended.
 */
export function startChores(services: Services, parts: ChoreParts): { stop(): Promise<void> } {
  const running = choresOf(services, parts)
    .map(([name, everyMs, work]) => repeat(services.log, { name, everyMs }, work));
  return {
    async stop() {
      await Promise.all(running.map((chore) => chore.stop()));
    },
  };
}
