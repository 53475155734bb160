import type { Platform } from "../platform.ts";
import type { ChangeUpdate } from "./update.ts";

/** Keys of changes in the journal begin with this; they belong to no message. */
export const CHANGE_KEY = "change:";

/** Reports a change by a signed webhook and retries until the response is 200, unless webhooks are off. */
export function reportChange(platform: Platform, update: ChangeUpdate): void {
  if (!platform.settings.webhooks || platform.settings.webhook_url === null) return;
  const key = `${CHANGE_KEY}${crypto.randomUUID()}`;
  platform.journal.write({ t: "change_update", key, update });
  platform.sender.enqueue([{ kind: "change", key, update, told: () => {} }]);
}

/**
 * Unix seconds, all that webhooks have. No two changes of one thing (`id`) share one: who clicks quickly must not have
 * the second taken for a repetition of the first.
 */
export function nextChangeTime({ toldAt }: Pick<Platform, "toldAt">, id: string): number {
  const time = Math.max(Math.floor(Date.now() / 1000), (toldAt.get(id) ?? 0) + 1);
  toldAt.set(id, time);
  return time;
}
