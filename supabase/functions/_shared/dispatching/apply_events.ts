import { settleTemplates } from "../db/queue/dispatch_queue.ts";
import { applyAccountEvents, applyTemplateEvents } from "../db/queue/platform_events.ts";
import type { Services } from "../services.ts";

const EVENTS_PER_BATCH = 1000;

/** Applies every stored event about accounts: their senders stop, or send again. */
export async function applyWaitingAccountEvents({ sql, newWork }: Services): Promise<void> {
  let applied: number;
  do {
    applied = await applyAccountEvents(sql, EVENTS_PER_BATCH);
    if (applied > 0) newWork.notify();
  } while (applied === EVENTS_PER_BATCH);
}

/** Applies every stored event about templates, and holds or releases their campaigns. */
export async function applyWaitingTemplateEvents({ sql }: Services): Promise<void> {
  while (await applyTemplateEvents(sql, EVENTS_PER_BATCH) === EVENTS_PER_BATCH);
  await settleTemplates(sql);
}
