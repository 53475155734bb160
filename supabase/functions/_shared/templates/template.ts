import { z } from "zod";
import type { SyncedTemplateRow } from "../db/templates/templates.ts";
import { type PlatformTemplate, templateStatus } from "../gateways/whatsapp/list_templates.ts";

/** One button of a template. Kinds we do not know are kept whole. */
const templateButtonSchema = z.looseObject({
  type: z.string(),
  text: z.string().optional().catch(undefined),
  url: z.string().optional().catch(undefined),
});

/** One part of a template in the platform's own shape. Kinds and fields we do not know are kept whole. */
export const templateComponentSchema = z.looseObject({
  type: z.string(),
  format: z.string().optional().catch(undefined),
  text: z.string().optional().catch(undefined),
  buttons: z.array(templateButtonSchema).optional().catch(undefined),
});

export type TemplateButton = z.infer<typeof templateButtonSchema>;
export type TemplateComponent = z.infer<typeof templateComponentSchema>;

const cardsSchema = z.array(z.looseObject({ components: z.array(templateComponentSchema) })).min(1);

/** Returns the parts of each card of a carousel; undefined when they cannot be read. */
export function cardsOf(carousel: TemplateComponent): TemplateComponent[][] | undefined {
  return cardsSchema.safeParse(carousel.cards).data?.map(({ components }) => components);
}

/** How a template's variables are written: `{{1}}` or `{{first_name}}`. */
export type ParameterFormat = "POSITIONAL" | "NAMED";

/** A template as the platform knows it, in our terms. */
export interface TemplateFacts {
  platformTemplateId: string;
  name: string;
  language: string;
  /** Upper case. The platform may change it by itself, so its own counts. */
  category: string;
  status: string;
  rejectedReason: string | null;
  /** GREEN, YELLOW, RED or UNKNOWN; null when the platform did not say. */
  quality?: string | null;
  parameterFormat: ParameterFormat;
  components: TemplateComponent[];
}

/** Reads a template of the platform's list. Leaves out components without a type. */
export function templateFromPlatform(item: PlatformTemplate): TemplateFacts {
  const { rejected_reason: reason, parameter_format: format } = item;
  return {
    platformTemplateId: item.id,
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

/** Returns a template in the names of the database. */
export function templateRow(template: TemplateFacts): SyncedTemplateRow {
  return {
    platform_template_id: template.platformTemplateId,
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
