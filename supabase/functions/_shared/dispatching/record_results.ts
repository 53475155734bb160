import {
  adjustSenders,
  finishNotifications,
  type SenderChange,
  settleTemplates,
  type StoppedTemplate,
  stopTemplate,
  wantTemplates,
} from "../db/dispatch_queue.ts";
import { causeOf } from "../db/error_cause.ts";
import { describeError } from "../log.ts";
import type { Services } from "../services.ts";
import type { Judgement } from "./judge_outcome.ts";

const RETRY_MS = 250;
const MAX_RETRY_MS = 2000;

export interface ResultRecorder {
  /**
   * Records results. Holds and retries them for as long as the process lives, after any error but one that their own
   * data causes; that one it throws.
   */
  record(judgements: Judgement[]): Promise<void>;
  /** Whether results wait because the last try to record them failed. Nothing new is claimed meanwhile. */
  isHeldUp(): boolean;
}

/**
 * Records what became of tries. A lost result could mean a message sent twice; recording twice changes nothing. What a
 * result says about its sender or template is passed on first, so that nobody tries a stopped sender once more, but
 * never keeps the result itself from being recorded.
 */
export function createResultRecorder(services: Services, worker: string): ResultRecorder {
  const { env, log, sql } = services;
  const adjust = oncePerJudgement(services, (judgements) => applySenderUpdates(services, judgements));
  const stop = oncePerJudgement(services, (judgements) => stopTemplates(services, judgements));
  const resync = oncePerJudgement(services, (judgements) => requestTemplateSyncs(services, judgements));
  let heldUp = false;

  async function finish(judgements: Judgement[]): Promise<void> {
    const results = judgements.map(({ result }) => result);
    for (let delay = RETRY_MS;; delay = Math.min(2 * delay, MAX_RETRY_MS)) {
      await adjust(judgements);
      await stop(judgements);
      try {
        await finishNotifications(sql, { worker, results, windowS: env.UNCONFIRMED_WINDOW_S });
        heldUp = false;
        return;
      } catch (error) {
        heldUp = causeOf(error) !== "data";
        if (!heldUp) throw error;
        log.warn("results wait for the database", { results: results.length, ...describeError(error) });
      }
      await new Promise((resolve) => setTimeout(resolve, delay));
    }
  }

  return {
    async record(judgements) {
      await finish(judgements);
      const passedOn = [await adjust(judgements), await stop(judgements)];
      if (passedOn.includes(false)) log.error("what results say about senders or templates was lost");
      if (stoppedTemplates(judgements).length > 0) await holdTheirCampaigns(services);
      if (!await resync(judgements)) await resync(judgements);
    },
    isHeldUp: () => heldUp,
  };
}

/**
 * Does `work` for those judgements for which it has not succeeded yet. Returns whether it now has for all of them; its
 * failure is logged.
 */
function oncePerJudgement(
  { log }: Services,
  work: (judgements: Judgement[]) => Promise<void>,
): (judgements: Judgement[]) => Promise<boolean> {
  const done = new WeakSet<Judgement>();
  return async (judgements) => {
    const open = judgements.filter((judgement) => !done.has(judgement));
    try {
      if (open.length > 0) await work(open);
      open.forEach((judgement) => done.add(judgement));
      return true;
    } catch (error) {
      log.warn("a sender or template could not be updated", describeError(error));
      return false;
    }
  };
}

async function applySenderUpdates({ sql, log }: Services, judgements: Judgement[]): Promise<void> {
  const changes = senderUpdates(judgements);
  if (changes.length === 0) return;
  await adjustSenders(sql, changes);
  for (const { change, company_id, sender_id, reason } of changes) {
    if (change === "stop") log.error("sender stopped", { company_id, sender_id, reason });
  }
}

/** That a sender reached the platform matters only after, or beside, a failure to reach it. */
function senderUpdates(judgements: Judgement[]): SenderChange[] {
  const noteworthy = new Set(
    judgements.filter(({ sender, troubled }) => sender && (troubled || sender.change !== "reached"))
      .map(({ sender }) => sender?.sender_id),
  );
  return judgements.flatMap(({ sender }) => sender && noteworthy.has(sender.sender_id) ? sender : []);
}

async function stopTemplates({ sql, log }: Services, judgements: Judgement[]): Promise<void> {
  for (const template of stoppedTemplates(judgements)) {
    await stopTemplate(sql, template);
    log.error("template stopped", { ...template });
  }
}

/** Each template that is to be stopped once, for the latest of its refusals. */
function stoppedTemplates(judgements: Judgement[]): StoppedTemplate[] {
  const stopped = judgements.flatMap(({ template }) => template ?? []).sort((a, b) => a.at < b.at ? -1 : 1);
  return [...new Map(stopped.map((template) => [template.template_id, template])).values()];
}

/** The dispatcher does the same once a second: a failure delays it by that much. */
async function holdTheirCampaigns({ sql, log }: Services): Promise<void> {
  await settleTemplates(sql).catch((error) =>
    log.warn("campaigns of a stopped template are not held yet", describeError(error))
  );
}

async function requestTemplateSyncs({ sql }: Services, judgements: Judgement[]): Promise<void> {
  const stale = judgements.filter((judgement) => judgement.stale).flatMap(({ sender }) => sender ?? []);
  const senders = new Map(stale.map((sender) => [sender.sender_id, sender]));
  for (const sender of senders.values()) await wantTemplates(sql, sender);
}
