import { unknownObject } from "../accounts/accounts.ts";
import { pickFields } from "../http/graph_objects.ts";
import { PlatformError } from "../http/platform_error.ts";
import type { SandboxAccount } from "../options.ts";
import type { Platform } from "../platform.ts";
import { MAX_TEMPLATES } from "./change_templates.ts";
import type { StoredTemplate } from "./template_store.ts";

/** `GET /{template_id}`: one template of the token's accounts, or 100/33. */
export function getTemplate(
  platform: Pick<Platform, "templates">,
  accounts: SandboxAccount[],
  id: string,
  fields: string | undefined,
) {
  const found = platform.templates.get(id);
  if (found === undefined || !accounts.some((account) => account.wabaId === found.wabaId)) {
    throw unknownObject(id);
  }
  return pickFields(templateView(found.template), fields, [...TEMPLATE_FIELDS], OTHER_TEMPLATE_FIELDS);
}

/** A template with every field that a request may name. */
export function templateView(template: StoredTemplate) {
  return {
    name: template.name,
    parameter_format: template.parameter_format ?? "POSITIONAL",
    components: template.components,
    language: template.language,
    status: template.status,
    category: template.category,
    rejected_reason: template.rejected_reason ?? "NONE",
    quality_score: { score: "UNKNOWN", date: 0 },
    message_send_ttl_seconds: template.message_send_ttl_seconds,
    id: template.id,
  };
}

/** The fields of a response when a request names none. */
export const TEMPLATE_FIELDS = [
  "name",
  "parameter_format",
  "components",
  "language",
  "status",
  "category",
] as const;

/** Further fields of the platform's templates; the sandbox simulates none of them. */
export const OTHER_TEMPLATE_FIELDS = [
  "correct_category",
  "previous_category",
  "sub_category",
  "library_template_name",
  "cta_url_link_tracking_opted_out",
  "degrees_of_freedom_spec",
  "is_primary_device_delivery_only",
] as const;

/** Whether a template matches the filters of a list; one filter may hold several values with commas. */
export function matchesFilters(template: StoredTemplate, query: Record<string, string>): boolean {
  const isOneOf = (filter: string, value: string) =>
    query[filter] === undefined || query[filter].split(",").includes(value);
  const isIn = (filter: string, text: string) =>
    query[filter] === undefined || text.toLowerCase().includes(query[filter].toLowerCase());
  const content = template.components.map(({ text }) => text ?? "").join("\n");
  return isOneOf("status", template.status) && isOneOf("language", template.language) &&
    isOneOf("category", template.category) &&
    isOneOf("quality_score", templateView(template).quality_score.score) &&
    isIn("name", template.name) && isIn("content", content) &&
    isIn("name_or_content", `${template.name}\n${content}`);
}

/** The requested parts of a list's summary: how many templates match, exist and are allowed. */
export function summaryOf(requested: string, all: number, found: number): Record<string, unknown> {
  const summary = {
    total_count: found,
    message_template_count: all,
    message_template_limit: MAX_TEMPLATES,
    are_translations_complete: true,
  };
  const names = requested.split(",").map((name) => name.trim());
  const unknown = names.find((name) => !Object.hasOwn(summary, name));
  if (unknown !== undefined) throw new PlatformError(100, `summary has no ${unknown}`);
  return Object.fromEntries(Object.entries(summary).filter(([name]) => names.includes(name)));
}
