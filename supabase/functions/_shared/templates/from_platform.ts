import type { PlatformTemplate } from "../gateways/whatsapp/list_templates.ts";
import { templateStatus } from "../gateways/whatsapp/template_status.ts";
import { type ParameterFormat, type TemplateComponent, templateComponentSchema } from "./template.ts";

/** What the platform knows about a template, in our terms. */
export interface TemplateFacts {
  providerTemplateId: string;
  name: string;
  language: string;
  /** Upper case. The platform may change it by itself, so the one it returns is the one that counts. */
  category: string;
  status: string;
  rejectedReason: string | null;
  /** GREEN, YELLOW, RED or UNKNOWN; null when the platform did not say. */
  quality?: string | null;
  parameterFormat: ParameterFormat;
  components: TemplateComponent[];
}

/** Reads a template of the platform's list. A component without a type is left out. */
export function templateFromPlatform(item: PlatformTemplate): TemplateFacts {
  const { rejected_reason: reason, parameter_format: format } = item;
  return {
    providerTemplateId: item.id,
    name: item.name,
    language: item.language,
    category: item.category.toUpperCase(),
    status: templateStatus(item.status),
    rejectedReason: reason === undefined || reason === null || reason === "NONE" ? null : reason,
    quality: item.quality_score?.score?.toUpperCase() ?? null,
    parameterFormat: format?.toUpperCase() === "NAMED" ? "NAMED" : "POSITIONAL",
    components: (item.components ?? []).flatMap((part) => templateComponentSchema.safeParse(part).data ?? []),
  };
}
