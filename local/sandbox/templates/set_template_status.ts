import type { Platform } from "../platform.ts";
import type { StoredTemplate } from "./template_store.ts";

export interface StatusChange {
  status: string;
  /** Why it was rejected; the platform's word, `NONE` otherwise. */
  reason?: string | undefined;
}

/** Changes a template's status as the platform's reviewers would and tells it by a signed webhook. */
export function setTemplateStatus(
  platform: Platform,
  id: string,
  change: StatusChange,
): StoredTemplate | undefined {
  const found = platform.templates.get(id);
  if (found === undefined) return undefined;
  const { rejected_reason: _, review_at: __, ...rest } = found.template;
  const rejected = change.status === "REJECTED" ? { rejected_reason: change.reason ?? "INVALID_FORMAT" } : {};
  const template = platform.templates.put(found.wabaId, { ...rest, ...rejected, status: change.status });
  platform.journal.write({ t: "template", waba_id: found.wabaId, template });
  platform.events.publish({ kind: "template", waba_id: found.wabaId, template });
  tell(platform, found.wabaId, template);
  return template;
}

function tell(platform: Platform, waba_id: string, template: StoredTemplate): void {
  if (!platform.settings.webhooks || platform.settings.webhook_url === null) return;
  const update = { waba_id, time: nextTime(platform, template.id), value: statusUpdateValue(template) };
  const key = `template:${crypto.randomUUID()}`;
  platform.journal.write({ t: "template_update", key, update });
  platform.sender.enqueue([{ kind: "template", key, update, told: () => {} }]);
}

/**
 * Unix seconds, all that webhooks have. No two changes of a template share one: who clicks quickly must not have the
 * second taken for a repetition of the first.
 */
function nextTime({ toldAt }: Platform, id: string): number {
  const time = Math.max(Math.floor(Date.now() / 1000), (toldAt.get(id) ?? 0) + 1);
  toldAt.set(id, time);
  return time;
}

/** Webhooks write languages with a hyphen where the API has an underscore, as the platform's samples do. */
function statusUpdateValue(template: StoredTemplate): Record<string, unknown> {
  return {
    event: template.status,
    message_template_id: Number(template.id),
    message_template_name: template.name,
    message_template_language: template.language.replace("_", "-"),
    reason: template.rejected_reason ?? "NONE",
    message_template_category: template.category,
    ...extras(template),
  };
}

function extras({ status, rejected_reason }: StoredTemplate): Record<string, unknown> {
  if (status === "PAUSED") {
    return { other_info: { title: "FIRST_PAUSE", description: "Paused for low quality (simulated)" } };
  }
  if (status === "DISABLED") return { disable_info: { disable_date: new Date().toISOString().slice(0, 10) } };
  if (rejected_reason === "INVALID_FORMAT") {
    return {
      rejection_info: { reason: "The format is not valid", recommendation: "Change it and submit it again" },
    };
  }
  return {};
}
