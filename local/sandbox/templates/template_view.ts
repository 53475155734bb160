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
