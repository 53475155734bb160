import type { SyncedTemplateRow } from "../db/template_sync.ts";
import type { TemplateFacts } from "./from_platform.ts";

/** A template in the names of the database. */
export function templateRow(template: TemplateFacts): SyncedTemplateRow {
  return {
    provider_template_id: template.providerTemplateId,
    name: template.name,
    language: template.language,
    category: template.category,
    status: template.status,
    rejected_reason: template.rejectedReason,
    quality: template.quality ?? null,
    parameter_format: template.parameterFormat,
    components: template.components,
  };
}
