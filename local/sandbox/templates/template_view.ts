import type { StoredTemplate } from "./template_store.ts";

/** A template with every field a request may ask for. */
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

/** What is given when a request names no fields. */
export const TEMPLATE_FIELDS = [
  "name",
  "parameter_format",
  "components",
  "language",
  "status",
  "category",
] as const;

/** What the platform's templates have besides; nothing of it is simulated. */
export const OTHER_TEMPLATE_FIELDS = [
  "correct_category",
  "previous_category",
  "sub_category",
  "library_template_name",
  "cta_url_link_tracking_opted_out",
  "degrees_of_freedom_spec",
  "is_primary_device_delivery_only",
] as const;
