import { settleTemplates } from "../db/dispatch_queue.ts";
import { applyProviderEvents, applyTemplateEvents } from "../db/provider_events.ts";
import type { Services } from "../services.ts";

const EVENTS_A_CALL = 1000;

/** Applies every stored platform event that can be applied now. */
export async function applyWaitingEvents(services: Services): Promise<void> {
  while (await applyProviderEvents(services.sql, EVENTS_A_CALL) === EVENTS_A_CALL);
}

/** The same for events about templates; their campaigns are held or let go. */
export async function applyWaitingTemplateEvents(services: Services): Promise<void> {
  while (await applyTemplateEvents(services.sql, EVENTS_A_CALL) === EVENTS_A_CALL);
  await settleTemplates(services.sql);
}
