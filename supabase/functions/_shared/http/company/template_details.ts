import { z } from "@hono/zod-openapi";
import type { Sql } from "../../db/connect.ts";
import { readTemplate, type TemplateIds } from "../../db/templates.ts";
import { AppError } from "../../errors.ts";
import { timeOf } from "../app/list_page.ts";
import { describeTemplate, templateExample, templateSchema } from "./templates.ts";

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
  return {
    ...describeTemplate(template),
    status_since: timeOf(template.statusSince),
    parameter_format: template.parameterFormat,
    components: template.components as z.input<typeof componentSchema>[],
  };
}
