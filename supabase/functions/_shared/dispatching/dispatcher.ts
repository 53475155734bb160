import { isSecretsKeyRight, WRONG_SECRETS_KEY } from "../access/secrets_canary.ts";
import { startDeliveries } from "../events_out/deliveries.ts";
import { describeError, oncePer } from "../log.ts";
import type { Services } from "../services.ts";
import { startChores } from "./chores.ts";
import { createDecide } from "./decide.ts";
import { openConnectionPool } from "./send.ts";
import { createReplySender } from "./send_replies.ts";
import { createWorker } from "./worker.ts";

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
}

/**
 * Sends the messages of the queue until it is stopped. Any number of dispatchers may run at once, in any number of processes.
 *
 * Invariants:
 * 1. A row is sent only by the worker whose fence it carries, within half its lease by the clock that ran further.
 * 2. Every claimed row ends in one recorded result, or in its lease running out.
 * 3. A lease is renewed until its result is recorded, or cannot be.
 * 4. Stopping claims nothing, finishes what was sent, and hands back the rest.
 * 5. Recording twice changes nothing.
 */
export async function runDispatcher(services: Services, options: DispatcherOptions): Promise<void> {
  const { signal, untilIdle } = options;
  if (!await waitForSecretsKey(services, options)) return;
  const connections = openConnectionPool(services.env);
  const worker = createWorker(services, { ...options, decide: createDecide(services, connections) });
  const replies = createReplySender(services, connections);
  const deliveries = startDeliveries(services);
  const chores = startChores(services, { worker, replies });
  while (!signal.aborted && worker.mayClaim()) {
    try {
      if (await worker.claim() > 0) continue;
      if (untilIdle && await worker.isIdle()) break;
      await worker.waitForWork();
    } catch (error) {
      await worker.claimFailed(error);
    }
  }
  await worker.drain();
  if (untilIdle && worker.mayClaim()) {
    await replies.send(signal);
    await replies.idle();
    await deliveries.untilIdle(signal);
  }
  await Promise.all([deliveries.stop(), chores.stop()]);
  await replies.idle();
  await connections?.close();
}

const RETRY_MS = 1000;
/** How often a process with a wrong SECRETS_KEY logs it. */
const LOG_WRONG_KEY_MS = 60_000;

/**
 * Waits until SECRETS_KEY is known to be the right one. With another key nothing may be claimed: the rows would be handed
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
      log.error("dispatcher: SECRETS_KEY cannot be checked", describeError(error));
    }
    await newWork.wait(RETRY_MS, signal);
  }
  return false;
}
