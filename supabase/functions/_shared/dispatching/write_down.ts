import {
  adjustSenders,
  finishNotifications,
  type SenderChange,
  settleTemplates,
  type StoppedTemplate,
  stopTemplate,
  wantTemplates,
} from "../db/dispatch_queue.ts";
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
  // Before its messages are free to be claimed again, so that nobody tries a stopped sender once more.
  await tellSenders(services, newsOf(judgements)).catch((error) => {
    log.error("news about senders was lost", describeError(error));
  });
  const stopped = templatesOf(judgements);
  for (const template of stopped) {
    log.error("template stopped", { ...template });
    await patiently(services, () => stopTemplate(sql, template));
  }
  await patiently(services, () =>
    finishNotifications(sql, {
      worker,
      results: judgements.map(({ result }) => result),
      windowS: env.UNCONFIRMED_WINDOW_S,
    }));
  if (stopped.length > 0) await patiently(services, () => settleTemplates(sql));
  for (const sender of sendersToRead(judgements)) await patiently(services, () => wantTemplates(sql, sender));
}

/** Each template that is to be stopped once, for the latest of its refusals. */
function templatesOf(judgements: Judgement[]): StoppedTemplate[] {
  const stopped = judgements.flatMap(({ template }) => template ?? []).sort((a, b) => a.at < b.at ? -1 : 1);
  return [...new Map(stopped.map((template) => [template.template_id, template])).values()];
}

function sendersToRead(judgements: Judgement[]): { company_id: string; sender_id: string }[] {
  const stale = judgements.filter((judgement) => judgement.stale).flatMap(({ sender }) => sender ?? []);
  return [...new Map(stale.map((sender) => [sender.sender_id, sender])).values()];
}

async function tellSenders(services: Services, changes: SenderChange[]): Promise<void> {
  if (changes.length === 0) return;
  await patiently(services, () => adjustSenders(services.sql, changes));
  for (const { change, company_id, sender_id, reason } of changes) {
    if (change === "stop") services.log.error("sender stopped", { company_id, sender_id, reason });
  }
}

/** That a sender reached the platform is news only after, or beside, a failure to reach it. */
function newsOf(judgements: Judgement[]): SenderChange[] {
  const noteworthy = new Set(
    judgements.filter(({ sender, troubled }) => sender && (troubled || sender.change !== "reached"))
      .map(({ sender }) => sender?.sender_id),
  );
  return judgements.flatMap(({ sender }) => sender && noteworthy.has(sender.sender_id) ? sender : []);
}

/** Does `work`, again and again while the database is away. */
async function patiently(services: Services, work: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1;; attempt++) {
    try {
      await work();
      return;
    } catch (error) {
      if (!isTransientError(error) || attempt === MOST_TRIES) throw error;
      services.log.warn("results wait for the database", describeError(error));
      await new Promise((resolve) => setTimeout(resolve, TRY_AGAIN_MS));
    }
  }
}
