import {
  adjustSenders,
  finishNotifications,
  requestTemplateSync,
  type SenderChange,
  settleTemplates,
  type StoppedTemplate,
  stopTemplate,
} from "../db/queue/dispatch_queue.ts";
import { recordNumberAliases } from "../db/contacts/number_aliases.ts";
import { describeError } from "../log.ts";
import type { Services } from "../services.ts";
import type { Judgement } from "./judge_outcome.ts";

/** Records the results of attempts in the database. Throws when the results themselves are not recorded. */
export type ResultRecorder = (judgements: Judgement[]) => Promise<void>;

/**
 * Makes the recorder of `worker`. Recording twice changes nothing. Changes of senders and templates are written first, so
 * that no dispatcher tries a stopped sender once more, and aliases of numbers, so that they are known before a recipient
 * replies. Their failure never keeps the results themselves from being recorded.
 */
export function createResultRecorder(services: Services, worker: string): ResultRecorder {
  const { env, log, metrics, sql } = services;
  const adjust = createSenderUpdates(services);
  const stop = oncePerJudgement(services, ofStoppedTemplates, stopTemplates);
  const learn = oncePerJudgement(services, ofAliases, recordAliasesOf);
  const resync = oncePerJudgement(services, ofOtherTemplates, requestTemplateSyncs);

  return async (judgements) => {
    await adjust(judgements);
    await stop(judgements);
    await learn(judgements);
    const results = judgements.map(({ result }) => result);
    const changed = await finishNotifications(sql, {
      worker,
      results,
      windowS: env.OUTBOUND_UNCONFIRMED_WINDOW_S,
    });
    metrics.lateResults.add([], results.length - changed);
    const written = [await adjust(judgements), await stop(judgements)];
    if (written.includes(false)) log.error("changes of senders or templates were lost");
    if (ofStoppedTemplates(judgements).length > 0) await holdCampaignsOfTemplates(services);
    if (!await resync(judgements)) await resync(judgements);
  };
}

/** The part of a judgement that changes its sender. */
type SenderJudgement = Pick<Judgement, "sender"> & Partial<Pick<Judgement, "wasUnreachable">>;

/**
 * Makes a function that applies the changes of senders that judgements bring, each once, and logs senders that stop. It
 * returns whether it now has applied all of them, and logs a failure.
 */
export function createSenderUpdates(
  services: Pick<Services, "log" | "sql">,
): (judgements: SenderJudgement[]) => Promise<boolean> {
  return oncePerJudgement(services, ofChangedSenders, applySenderUpdates);
}

/**
 * Makes a function that does `work` for those of its judgements that `concerned` returns and for which it has not
 * succeeded yet: nearly always none. The function returns whether it now has for all of them, and logs a failure.
 */
function oncePerJudgement<Judged extends object, Needed extends Pick<Services, "log">>(
  services: Needed,
  concerned: (judgements: Judged[]) => Judged[],
  work: (services: Needed, judgements: Judged[]) => Promise<void>,
): (judgements: Judged[]) => Promise<boolean> {
  const done = new WeakSet<Judged>();
  return async (judgements) => {
    const open = concerned(judgements).filter((judgement) => !done.has(judgement));
    try {
      if (open.length > 0) await work(services, open);
      open.forEach((judgement) => done.add(judgement));
      return true;
    } catch (error) {
      services.log.warn("a sender, a template or a number could not be updated", describeError(error));
      return false;
    }
  };
}

async function applySenderUpdates(
  { sql, log }: Pick<Services, "log" | "sql">,
  judgements: SenderJudgement[],
): Promise<void> {
  const changes = judgements.flatMap(({ sender }) => sender ?? []);
  await adjustSenders(sql, changes);
  for (const { change, company_id, sender_id, reason } of changes) {
    if (change === "stop") log.error("sender stopped", { company_id, sender_id, reason });
  }
}

/** Returns the judgements of senders that change. "reached" alone changes only a sender that was unreachable. */
function ofChangedSenders(judgements: SenderJudgement[]): SenderJudgement[] {
  const isChange = ({ sender, wasUnreachable }: SenderJudgement) =>
    sender !== null && (wasUnreachable || sender.change !== "reached");
  const changed = new Set(judgements.filter(isChange).map(({ sender }) => sender!.sender_id));
  if (changed.size === 0) return [];
  return judgements.filter(({ sender }) => sender !== null && changed.has(sender.sender_id));
}

function ofStoppedTemplates(judgements: Judgement[]): Judgement[] {
  return judgements.filter(({ template }) => template !== null);
}

async function stopTemplates({ sql, log }: Services, judgements: Judgement[]): Promise<void> {
  for (const template of templatesToStop(judgements)) {
    await stopTemplate(sql, template);
    log.error("template stopped", { ...template });
  }
}

/** Returns each template once, with the latest of its refusals. */
function templatesToStop(judgements: Judgement[]): StoppedTemplate[] {
  const stopped = judgements.flatMap(({ template }) => template ?? []).sort((a, b) => a.at < b.at ? -1 : 1);
  return [...new Map(stopped.map((template) => [template.template_id, template])).values()];
}

/** Holds the campaigns of stopped templates. The dispatcher does the same every second, so a failure is only a delay. */
async function holdCampaignsOfTemplates({ sql, log }: Services): Promise<void> {
  await settleTemplates(sql).catch((error) =>
    log.warn("campaigns of a stopped template are not held yet", describeError(error))
  );
}

function ofAliases(judgements: Judgement[]): Judgement[] {
  return judgements.filter(({ alias }) => alias !== null);
}

async function recordAliasesOf({ sql }: Services, judgements: Judgement[]): Promise<void> {
  await recordNumberAliases(sql, judgements.flatMap(({ alias }) => alias ?? []));
}

function ofOtherTemplates(judgements: Judgement[]): Judgement[] {
  return judgements.filter(({ templateDiffers }) => templateDiffers);
}

async function requestTemplateSyncs({ sql }: Services, judgements: Judgement[]): Promise<void> {
  for (const sender of sendersToResync(judgements)) await requestTemplateSync(sql, sender);
}

/** Returns each sender once whose account's templates differ from ours. */
function sendersToResync(judgements: Judgement[]): SenderChange[] {
  const senders = judgements.flatMap(({ sender }) => sender ?? []);
  return [...new Map(senders.map((sender) => [sender.sender_id, sender])).values()];
}
