import { z } from "@hono/zod-openapi";
import { readTemplate } from "../../_shared/db/templates.ts";
import { AppError } from "../../_shared/errors.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { timeOf } from "../../_shared/http/app/list_page.ts";
import { describeValues, templateValueSchema } from "../../_shared/templates/template_values.ts";
import { addMemberRoute } from "../member_route.ts";
import { describeTemplate, templateExample, templateSchema } from "./template_schema.ts";

const componentSchema = z.looseObject({ type: z.string() });

const detailsSchema = templateSchema.extend({
  status_since: z.iso.datetime().nullable(),
  parameter_format: z.enum(["POSITIONAL", "NAMED"]),
  components: z.array(componentSchema).openapi({ description: "Its parts, as the platform writes them" }),
  values: z.array(templateValueSchema).openapi({
    description: "Every value that a message may supply, with what it takes",
  }),
}).openapi("TemplateDetails");

/** `GET …/templates/{template_id}` shows one template with its parts. */
export function registerGetTemplate(app: App): void {
  addMemberRoute(app, {
    method: "get",
    path: "/templates/{template_id}",
    operationId: "getTemplate",
    summary: "Show a template with its parts",
    role: "viewer",
    params: z.object({ template_id: z.guid() }),
    response: {
      schema: detailsSchema,
      example: {
        ...templateExample,
        status_since: "2026-12-01T09:00:00Z",
        parameter_format: "POSITIONAL",
        components: [{ type: "BODY", text: "Hello {{1}}, your order {{2}} has shipped." }],
        values: [
          { name: "body_text_0", required: true, expects: "text", example: "Ana" },
          { name: "body_text_1", required: true, expects: "text", example: "A-1001" },
        ],
      },
    },
  }, async (c, { member: { companyId }, params: { template_id: templateId } }) => {
    const template = await readTemplate(c.get("services").sql, { companyId, templateId });
    if (template === undefined) throw new AppError("not_found", "Template not found");
    return {
      ...describeTemplate(template),
      status_since: timeOf(template.statusSince),
      parameter_format: template.parameterFormat,
      components: template.components as z.input<typeof componentSchema>[],
      values: describeValues(template),
    };
  });
}
