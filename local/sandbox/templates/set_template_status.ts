import type { Platform } from "../platform.ts";
import { nextChangeTime, reportChange } from "../webhooks/report_change.ts";
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
  reportChange(platform, {
    waba_id: found.wabaId,
    time: nextChangeTime(platform, id),
    field: "message_template_status_update",
    value: statusUpdateValue(template),
  });
  return template;
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
