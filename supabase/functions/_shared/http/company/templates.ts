import { z } from "@hono/zod-openapi";
import type { Sql } from "../../db/driver/connect.ts";
import {
  type ListedTemplate,
  readTemplate,
  readTemplatePage,
  type TemplateIds,
} from "../../db/templates/templates.ts";
import { listFields, nextOf, type Page } from "../app/list_page.ts";
import { AppError } from "../../errors.ts";
import { showRow } from "../app/show_row.ts";

/** A template in a list. */
export const templateSchema = z.object({
  template_id: z.guid(),
  platform_template_id: z.string().nullable().openapi({ description: "The platform's own id" }),
  waba_id: z.string().openapi({ description: "Its business account" }),
  name: z.string(),
  language: z.string(),
  category: z.string().openapi({ example: "UTILITY" }),
  status: z.string().openapi({
    description:
      "`approved`, `pending`, `rejected`, `disabled`, or another of the platform's; only approved is sent",
  }),
  rejected_reason: z.string().nullable().openapi({ description: "Why it was rejected, paused or disabled" }),
  quality: z.string().nullable().openapi({
    description: "GREEN, YELLOW, RED or UNKNOWN, as the platform rates it",
  }),
  held_campaigns: z.number().int().min(0).openapi({
    description: "Campaigns that wait until it is approved",
  }),
  updated_at: z.iso.datetime(),
}).openapi("TemplateSummary");

export const templateExample: z.input<typeof templateSchema> = {
  template_id: "0192f8a9-3e4f-7051-8c6d-7e8f9a0b1c2d",
  platform_template_id: "594425479261596",
  waba_id: "102290129340398",
  name: "order_update",
  language: "en_US",
  category: "UTILITY",
  status: "approved",
  rejected_reason: null,
  quality: "GREEN",
  held_campaigns: 0,
  updated_at: "2026-12-01T09:00:00Z",
};

/** The filters of a list of templates. */
export const templateFilters = {
  status: z.string().max(50).optional().openapi({
    description: "The state of the review, such as `approved`, `pending`, `rejected` or `disabled`",
    example: "approved",
  }),
  waba_id: z.string().max(64).optional().openapi({
    description: "The business account at WhatsApp",
    example: "102290129340398",
  }),
  name: z.string().max(512).optional().openapi({
    description: "A part of the template's name, in any case",
    example: "order",
  }),
};

export const templatesSchema = z.object({ templates: z.array(templateSchema), ...listFields })
  .openapi("ManagedTemplates");

/** Returns a page of our copies of a company's templates, newest first. */
export async function listTemplates(
  sql: Sql,
  companyId: string,
  { waba_id: wabaId, ...query }: Page<typeof templateFilters>,
): Promise<z.input<typeof templatesSchema>> {
  const rows = await readTemplatePage(sql, { companyId, wabaId, ...query });
  return {
    templates: rows.map((row) => showRow(templateSchema, asListed(row))),
    next: nextOf(rows, query.limit, "template_id"),
  };
}

/** Returns a template with its category as the platform writes it. */
function asListed<Row extends ListedTemplate>(row: Row): Row {
  return { ...row, category: row.category.toUpperCase() };
}

const componentSchema = z.looseObject({ type: z.string() });

/** A template with its parts. */
export const templateDetailsSchema = templateSchema.extend({
  status_since: z.iso.datetime().nullable(),
  parameter_format: z.enum(["POSITIONAL", "NAMED"]),
  components: z.array(componentSchema).openapi({ description: "Its parts, as the platform writes them" }),
}).openapi("TemplateDetails");

export const templateDetailsExample: z.input<typeof templateDetailsSchema> = {
  ...templateExample,
  status_since: "2026-12-01T09:00:00Z",
  parameter_format: "POSITIONAL",
  components: [{ type: "BODY", text: "Hello {{1}}, your order {{2}} has shipped." }],
};

/** Returns one of a company's templates with its parts. Throws `not_found`. */
export async function showTemplate(
  sql: Sql,
  ids: TemplateIds,
): Promise<z.input<typeof templateDetailsSchema>> {
  const template = await readTemplate(sql, ids);
  if (template === undefined) throw new AppError("not_found", "Template not found");
  return showRow(templateDetailsSchema, asListed(template));
}
