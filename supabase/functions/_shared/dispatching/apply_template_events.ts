import { settleTemplates } from "../db/dispatch_queue.ts";
import { applyTemplateEvents } from "../db/provider_events.ts";
import type { Services } from "../services.ts";

const EVENTS_A_CALL = 1000;

/** Applies every stored event about templates; their campaigns are held or let go. */
export async function applyWaitingTemplateEvents(services: Services): Promise<void> {
  while (await applyTemplateEvents(services.sql, EVENTS_A_CALL) === EVENTS_A_CALL);
  await settleTemplates(services.sql);
}
