import type { SandboxTemplate } from "../options.ts";
import type { Platform } from "../platform.ts";
import { nextChangeTime, reportChange } from "../webhooks/report_change.ts";
import type { StoredTemplate } from "./template_store.ts";
import { TEMPLATE_VARIABLE } from "./template_text.ts";

/** Ends the review of a template with its verdict; a template without a pending review stays as it is. */
export function reviewTemplate(platform: Platform, id: string): StoredTemplate | undefined {
  const template = platform.templates.get(id)?.template;
  return template?.status === "PENDING" ? setTemplateStatus(platform, id, reviewVerdict(template)) : template;
}

/** Words of advertising, which a UTILITY template must not hold. */
const ADVERTISING =
  /\b(discounts?|sale|promo(tions?)?|coupons?|special offers?|descuentos?|ofertas?|promoci[oó]n(es)?|rebajas?)\b|\d\s*% (off|de descuento)/i;
/** Addresses that hide where they lead. */
const SHORTENED = /\b(bit\.ly|tinyurl\.com|goo\.gl|t\.co|ow\.ly|is\.gd)\//i;
/** Data that no business may ask for in a message. */
const IDENTIFIERS =
  /\b(card number|credit card|cvv|pin code|social security|passport number|n[uú]mero de tarjeta)\b/i;

/**
 * Returns the verdict of the review: a small and constant part of the rules that the platform checks after it accepted
 * a template. The first that applies rejects.
 *
 * - INVALID_FORMAT: a brace that belongs to no variable
 * - TAG_CONTENT_MISMATCH: a UTILITY template that advertises
 * - SCAM: a shortened address
 * - ABUSIVE_CONTENT: it asks for a card number or the like
 */
function reviewVerdict(template: SandboxTemplate): StatusChange {
  const reason = rejection(template);
  return reason === undefined ? { status: "APPROVED" } : { status: "REJECTED", reason };
}

function rejection({ category, components }: SandboxTemplate): string | undefined {
  const texts = components.flatMap(({ text, buttons = [] }) => [
    text ?? "",
    ...buttons.flatMap((button) => [button.text ?? "", button.url ?? ""]),
  ]);
  if (texts.some((text) => /[{}]/.test(text.replaceAll(TEMPLATE_VARIABLE, "")))) return "INVALID_FORMAT";
  const all = texts.join("\n");
  if (category === "UTILITY" && ADVERTISING.test(all)) return "TAG_CONTENT_MISMATCH";
  if (SHORTENED.test(all)) return "SCAM";
  return IDENTIFIERS.test(all) ? "ABUSIVE_CONTENT" : undefined;
}

export interface StatusChange {
  status: string;
  /** Why it was rejected, in the platform's terms; `NONE` otherwise. */
  reason?: string | undefined;
}

/** Changes a template's status as the platform's reviewers would and reports it by a signed webhook. */
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
