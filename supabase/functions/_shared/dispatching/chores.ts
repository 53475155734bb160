import { runArchive } from "../archive/run_archive.ts";
import { continueUploads } from "../campaigns/uploads/continue_uploads.ts";
import { limitRate, type RateLimited, repeat } from "../concurrency/repeat.ts";
import { continueStopping } from "../db/campaigns/campaign_control.ts";
import { checkBudgets } from "../db/campaigns/budgets.ts";
import { foldHistory } from "../db/campaigns/history.ts";
import { continueResends } from "../db/campaigns/resends.ts";
import { settleReplies } from "../db/contacts/replies.ts";
import { CELL_PROBLEMS, readCell } from "../db/queue/cell.ts";
import { type OpenChore, tick } from "../db/queue/dispatch_queue.ts";
import { cleanUpWhenDue } from "../db/queue/settings.ts";
import { oncePer } from "../log.ts";
import { learnNamedPeople } from "../people/learn_named_people.ts";
import type { Sender } from "../sending/sender.ts";
import type { Services } from "../services.ts";
import { deleteMediaLeftovers } from "../media/delete_leftovers.ts";
import { syncDueAccounts } from "../templates/sync_accounts.ts";
import { settleVoiceSessions } from "../widgets/settle_voice_sessions.ts";
import { applyWaitingAccountEvents, applyWaitingTemplateEvents } from "./apply_events.ts";
import { checkCalls } from "./check_calls.ts";
import { logOutages } from "./log_outages.ts";
import type { Lookout } from "./lookout.ts";
import { storeReceivedMedia } from "./store_received_media.ts";
import { createSilentAccountLog, createWebhookProbe, probeEveryMs } from "./webhook_probe.ts";

/** How often a dispatcher asks its lookout which chores have something to do. */
const LOOK_MS = 250;
/** Schedules are met to the second. */
const TICK_MS = 1000;
/** Where pg_cron does not clean up, a dispatcher does so once per minute. */
const CLEAN_UP_POLL_MS = 60_000;
const ARCHIVE_POLL_MS = 60_000;
/** How often a dispatcher logs that its database is not the one that works. */
const LOG_INACTIVE_MS = 60_000;
/** Templates are synced hourly, and a minute after a sync was requested. */
const SYNC_POLL_MS = 10_000;
const LEFTOVERS_POLL_MS = 10_000;
const CALLS_POLL_MS = 5000;
const SESSIONS_POLL_MS = 30_000;
const STOPPING_POLL_MS = 5000;
/** The more changes a fold finds of one hour, the fewer rows it writes for them. */
const HISTORY_POLL_MS = 5000;
/** A member waits for the first messages. */
const UPLOADS_POLL_MS = 500;
/** A person waits for a reply. */
const REPLIES_POLL_MS = 500;

/** A chore: its name in the log, the least milliseconds between two runs, and its work. */
type Chore = [name: string, everyMs: number, work: (stopping: AbortSignal) => Promise<unknown>];

/** The parts of a dispatcher that its chores use. */
interface ChoreParts {
  lookout: Pick<Lookout, "openChores">;
  notifications: Pick<Sender, "renewLeases">;
  replies: Pick<Sender, "wake">;
  deliveries: Pick<Sender, "wake">;
  pushes: Pick<Sender, "wake">;
  agentReplies: Pick<Sender, "wake">;
  maxFiles?: number | undefined;
}

/** The chores that run only when a look has found that they have something to do. */
function openChoresOf(
  services: Services,
  { replies, deliveries, pushes, agentReplies, maxFiles }: ChoreParts,
): Record<OpenChore, Chore> {
  const { env, sql } = services;
  const windowS = env.OUTBOUND_UNCONFIRMED_WINDOW_S;
  const logSilentAccounts = createSilentAccountLog(services);
  const logInactive = oncePer(LOG_INACTIVE_MS, services.log.error);
  const advanceTime = async () => {
    const silent = await tick(sql, { windowS });
    if (silent !== null) return logSilentAccounts(silent);
    const { state } = await readCell(sql);
    if (state !== "active") logInactive(`dispatcher: nothing is sent. ${CELL_PROBLEMS[state]}`);
  };
  const settleAndSendReplies = async () => {
    await settleReplies(sql, { windowS });
    replies.wake();
  };
  return {
    tick: ["tick", TICK_MS, advanceTime],
    outages: ["report outages", TICK_MS, () => logOutages(services)],
    events: ["apply events of messages and calls", TICK_MS, () => services.applyEvents()],
    account_events: ["apply events of accounts", TICK_MS, () => applyWaitingAccountEvents(services)],
    template_events: ["apply events of templates", TICK_MS, () => applyWaitingTemplateEvents(services)],
    replies: ["settle replies", REPLIES_POLL_MS, settleAndSendReplies],
    received_media: [
      "store files that people sent",
      TICK_MS,
      (stopping) => storeReceivedMedia(services, stopping, { maxFiles }),
    ],
    deliveries: ["deliver events", TICK_MS, () => Promise.resolve(deliveries.wake())],
    pushes: ["push notifications", TICK_MS, () => Promise.resolve(pushes.wake())],
    agent_replies: ["ask agents", REPLIES_POLL_MS, () => Promise.resolve(agentReplies.wake())],
    stopping: ["finish cancellations and pauses", STOPPING_POLL_MS, () => continueStopping(sql)],
    resends: [
      "finish resends",
      STOPPING_POLL_MS,
      () => continueResends(sql, { ttlS: env.OUTBOUND_NOTIFICATION_TTL_S }),
    ],
    uploads: ["continue uploads", UPLOADS_POLL_MS, (stopping) => continueUploads(services, stopping)],
    calls: [
      "check calls",
      Math.min(CALLS_POLL_MS, env.OUTBOUND_CALL_CHECK_AFTER_S * 500),
      () => checkCalls(services),
    ],
    people: ["learn contacts", TICK_MS, () => learnNamedPeople(services)],
    history: ["fold the history", HISTORY_POLL_MS, () => foldHistory(sql)],
    budgets: ["check budgets", HISTORY_POLL_MS, () => checkBudgets(sql)],
    voice_sessions: ["settle voice sessions", SESSIONS_POLL_MS, () => settleVoiceSessions(services)],
  };
}

/** The chores that run by the clock. */
function timedChoresOf(services: Services, { notifications }: ChoreParts): Chore[] {
  const { env, sql, mediaStore } = services;
  return [
    ["renew leases", env.OUTBOUND_DISPATCH_LEASE_S * 1000 / 3, () => notifications.renewLeases()],
    ["probe the webhook", probeEveryMs(env), createWebhookProbe(services)],
    ["sync templates", SYNC_POLL_MS, () => syncDueAccounts(services)],
    ["delete media", LEFTOVERS_POLL_MS, () => deleteMediaLeftovers(services)],
    ["archive", ARCHIVE_POLL_MS, async (signal) => {
      if (mediaStore !== null) await runArchive({ sql, mediaStore }, { signal });
    }],
    ["clean up", CLEAN_UP_POLL_MS, (stopping) => cleanUpWhenDue(sql, { signal: stopping })],
  ];
}

/**
 * Starts the chores of a dispatcher: some at once and then at their interval, the others when a look has found that they
 * have something to do. `stop` resolves when those under way have ended.
 */
export function startChores(services: Services, parts: ChoreParts): { stop(): Promise<void> } {
  const { log } = services;
  const open = new Map<string, RateLimited>();
  for (const [key, [name, everyMs, work]] of Object.entries(openChoresOf(services, parts))) {
    // A look that comes a little early must not leave the chore to the next one.
    open.set(key, limitRate(log, { name, everyMs: everyMs - LOOK_MS / 2 }, work));
  }
  const look = async () => (await parts.lookout.openChores()).forEach((name) => open.get(name)?.start());
  const timed = [["look for chores", LOOK_MS, look] as Chore, ...timedChoresOf(services, parts)]
    .map(([name, everyMs, work]) => repeat(log, { name, everyMs }, work));
  return {
    async stop() {
      await Promise.all(timed.map((chore) => chore.stop()));
      await Promise.all([...open.values()].map((chore) => chore.stop()));
    },
  };
}
