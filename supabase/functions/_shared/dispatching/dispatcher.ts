import { isSecretsKeyRight, WRONG_SECRETS_KEY } from "../access/secrets_canary.ts";
import { createDeliveries } from "../events_out/deliveries.ts";
import { createPushes } from "../events_out/pushes.ts";
import { describeError, failureLevel, oncePer } from "../log.ts";
import type { Services } from "../services.ts";
import { createAgentReplies } from "../widgets/agent_replies.ts";
import { startChores } from "./chores.ts";
import { createDeliver } from "./deliver.ts";
import { createLookout } from "./lookout.ts";
import { openConnectionPool } from "./send.ts";
import { createNotificationSender } from "./send_notifications.ts";
import { createReplySender } from "./send_replies.ts";

/** The conditions under which a dispatcher stops, and the limit of its work at once. */
export interface DispatcherOptions {
  /** Stops the dispatcher. */
  signal: AbortSignal;
  /** Return when nothing can be sent right now, instead of waiting for more. */
  untilIdle?: boolean;
  /** Return after this many messages were claimed, and their results recorded. @default any number */
  maxMessages?: number;
  /** How many messages may be in flight at once. @default 512 */
  maxInFlight?: number;
  /** How many files that people sent are fetched at once. @default 4 */
  maxFiles?: number;
  /**
   * How long to wait for a sender's next tokens. A bucket is full after 50 ms: a longer wait makes a sender slower, a
   * shorter one takes more processor time. @default 25
   */
  rateLimitedPollMs?: number;
}

/** How a run of a dispatcher went. */
export interface DispatcherRun {
  /** Messages that the platform accepted. */
  sent: number;
  /** Why it ended: nothing was due, `maxMessages` were claimed, `signal` aborted, or OUTBOUND_SECRETS_KEY is not the database's. */
  ended: "idle" | "max_messages" | "stopped" | "wrong_secrets_key";
}

/**
 * Sends what is due of the queues, each with a sender of its own (`createSender`), until it is stopped. Any number of
 * dispatchers may run at once, in any number of processes.
 */
export async function runDispatcher(services: Services, options: DispatcherOptions): Promise<DispatcherRun> {
  const { signal, maxFiles } = options;
  if (!await waitForSecretsKey(services, options)) {
    return { sent: 0, ended: signal.aborted ? "stopped" : "wrong_secrets_key" };
  }
  const connections = openConnectionPool(services.env);
  const lookout = createLookout(services.sql);
  const deliver = createDeliver(services, connections);
  const notifications = createNotificationSender(services, { ...options, lookout, deliver });
  const replies = createReplySender(services, { signal, connections });
  const deliveries = createDeliveries(services, { signal });
  const pushes = createPushes(services, { signal });
  const agentReplies = createAgentReplies(services, { signal });
  const parts = { lookout, notifications, replies, deliveries, pushes, agentReplies, maxFiles };
  const chores = startChores(services, parts);
  const others = [replies, deliveries, pushes];
  [...others, agentReplies].forEach((sender) => services.inBackground(sender.run()));
  const ended = await notifications.run();
  if (ended === "idle") {
    // In this order: the end of a notification or of a reply is an event to deliver.
    for (const sender of others) await sender.stop("idle");
  }
  const asked = agentReplies.stop("now");
  // An agent may take longer than a whole run: its replies are recorded in the background.
  if (ended !== "idle") await asked;
  await Promise.all([chores.stop(), ...others.map((sender) => sender.stop("now"))]);
  await connections?.close();
  return { sent: notifications.sent(), ended };
}

const RETRY_MS = 1000;
/** How often a process with a wrong OUTBOUND_SECRETS_KEY logs it. */
const LOG_WRONG_KEY_MS = 60_000;

/**
 * Waits until OUTBOUND_SECRETS_KEY is known to be the right one. With another key nothing may be claimed: the rows would be handed
 * back unsent, again and again. Returns false when the dispatcher must stop instead.
 */
async function waitForSecretsKey(
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
      log[failureLevel(error)]("dispatcher: OUTBOUND_SECRETS_KEY cannot be checked", describeError(error));
    }
    await newWork.wait(RETRY_MS, signal);
  }
  return false;
}
