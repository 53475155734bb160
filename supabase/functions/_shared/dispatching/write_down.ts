import { adjustSenders, finishNotifications, stopTemplate } from "../db/dispatch_queue.ts";
import { isTransientError } from "../db/transient_error.ts";
import { describeError } from "../log.ts";
import type { Services } from "../services.ts";
import type { Judgement } from "./judge_outcome.ts";

const TRY_AGAIN_MS = 500;
/** Ten minutes: by then the leases are long gone, and the platform's own events tell what was sent. */
const MOST_TRIES = 1200;

/**
 * Records what became of a batch of tries. A result that is lost could mean a message sent twice, so while the database
 * is away it is held and offered again; offering it twice changes nothing.
 */
export async function writeDown(services: Services, worker: string, judgements: Judgement[]): Promise<void> {
  const { env, log, sql } = services;
  for (let attempt = 1;; attempt++) {
    try {
      await finishNotifications(sql, {
        worker,
        results: judgements.map(({ result }) => result),
        windowS: env.UNCONFIRMED_WINDOW_S,
      });
      break;
    } catch (error) {
      if (!isTransientError(error) || attempt === MOST_TRIES) throw error;
      log.warn("results wait for the database", { results: judgements.length, ...describeError(error) });
      await new Promise((resolve) => setTimeout(resolve, TRY_AGAIN_MS));
    }
  }
  await tellSenders(services, judgements);
}

async function tellSenders({ log, sql }: Services, judgements: Judgement[]): Promise<void> {
  const changes = judgements.flatMap(({ sender }) => sender ?? []);
  if (changes.length > 0) await adjustSenders(sql, changes);
  for (const { change, company_id, sender_id, reason } of changes) {
    if (change === "stop") log.error("sender stopped", { company_id, sender_id, reason });
  }
  for (const template of judgements.flatMap((judgement) => judgement.template ?? [])) {
    log.error("template stopped", { ...template });
    await stopTemplate(sql, template);
  }
}
