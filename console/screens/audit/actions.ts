import type { AuditEntry } from "../../data/sdk.ts";
import { auditWords } from "../../i18n/audit_words.ts";
import { locale } from "../../i18n/language.ts";

/** Returns the actions that the filter offers, by their words. */
export function actionOptions(): [action: string, label: string][] {
  return Object.entries(auditWords().actions).sort(([, a], [, b]) => a.localeCompare(b, locale.value));
}

/** Returns an action in words: `campaign.paused` is "Campaign paused". */
export function actionLabel(action: string): string {
  return auditWords().actions[action] ?? action.replaceAll(/[._]/g, " ");
}

/** Returns where the changed thing is shown, as a path below the company. */
export function pathOf({ action, subject }: AuditEntry): string[] | undefined {
  if (subject === null) return undefined;
  const [noun] = action.split(".");
  if (noun === "campaign") return ["campaigns", subject];
  if (noun === "widget") return ["widgets", subject];
  if (noun === "sender") return ["senders", subject];
  return undefined;
}
