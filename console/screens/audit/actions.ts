import type { AuditEntry } from "../../data/sdk.ts";
import { words } from "../../i18n/words.ts";

/** The actions that the filter offers. Others show as well. */
export const ACTIONS = [
  "agent.created",
  "agent.disabled",
  "agent.enabled",
  "campaign.cancelled",
  "campaign.paused",
  "campaign.resent",
  "campaign.resumed",
  "company.created",
  "company.updated",
  "consent.recorded",
  "contact.erased",
  "contact.exported",
  "contact.suppressed",
  "contact_rules.updated",
  "conversation.assigned",
  "conversation.closed",
  "conversation.replied",
  "delivery.replayed",
  "handoff.joined",
  "key.activated",
  "key.created",
  "key.revoked",
  "key.rotated",
  "key.shown",
  "key.updated",
  "knowledge.added",
  "knowledge.removed",
  "media.read",
  "member.accepted",
  "member.added",
  "member.declined",
  "member.invited",
  "member.left",
  "member.removed",
  "member.updated",
  "publishable_key.activated",
  "publishable_key.created",
  "publishable_key.revoked",
  "recipients.exported",
  "recording.read",
  "sender.created",
  "sender.resumed",
  "sender.updated",
  "suppression.lifted",
  "template.status_set",
  "template.submitted",
  "templates.synced",
  "upload.created",
  "upload.started",
  "webhook.created",
  "webhook.secret_rotated",
  "webhook.stopped",
  "webhook.tested",
  "webhook.updated",
  "widget.created",
  "widget.updated",
] as const;

/** Returns an action in words: `campaign.paused` is "Campaign paused". One without words stays as it is. */
export function actionLabel(action: string): string {
  const [noun = "", verb = ""] = action.split(".");
  const { nouns, verbs } = words().audit;
  return nouns[noun] && verbs[verb] ? `${nouns[noun]} ${verbs[verb]}` : action;
}

/** Returns where the changed thing is shown, as a path below the company. */
export function pathOf({ action, subject }: AuditEntry): string[] | undefined {
  if (subject === null) return undefined;
  const [noun] = action.split(".");
  if (noun === "campaign") return ["campaigns", subject];
  if (noun === "widget") return ["widgets", subject];
  return undefined;
}
