import type { Platform } from "../platform.ts";
import type { ChangeUpdate } from "./update.ts";

/** The prefix of a change's key in the journal; changes belong to no message. */
export const CHANGE_KEY = "change:";

/** Reports a change by a signed webhook and retries until the response is 200, unless webhooks are off. */
export function reportChange(platform: Platform, update: ChangeUpdate): void {
  if (!platform.settings.webhooks || platform.settings.webhook_url === null) return;
  const key = `${CHANGE_KEY}${crypto.randomUUID()}`;
  platform.journal.write({ t: "change_update", key, update });
  platform.sender.enqueue([{ kind: "change", key, update, onDelivered: () => {} }]);
}

/**
 * Returns unix seconds, the precision of webhooks, never the same twice for one `id`: of two quick changes, the second
 * must not look like a repetition of the first.
 */
export function nextChangeTime({ lastChangeAt }: Pick<Platform, "lastChangeAt">, id: string): number {
  const time = Math.max(Math.floor(Date.now() / 1000), (lastChangeAt.get(id) ?? 0) + 1);
  lastChangeAt.set(id, time);
  return time;
}
