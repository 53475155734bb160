import { z } from "@hono/zod-openapi";
import {
  listTemplates,
  showTemplate,
  templateDetailsSchema,
  templateFilters,
  templatesSchema,
} from "../../_shared/http/company/templates.ts";
import { templateValueSchema, valuesOf } from "../../_shared/http/company/template_values.ts";
import { defineTool, idArgument, pageArguments, READS } from "../tool.ts";

export const listTemplatesTool = defineTool({
  name: "list_templates",
  title: "List templates",
  description: "Lists message templates with the state of their review and why one was rejected.",
  hints: READS,
  effect: "reads",
  role: "viewer",
  permission: "templates",
  input: z.strictObject({ ...templateFilters, ...pageArguments }),
  output: templatesSchema,
  run: async ({ services: { sql }, caller, args }) => await listTemplates(sql, caller.companyId, args),
});

export const getTemplate = defineTool({
  name: "get_template",
  title: "Show a template",
  description: "Shows a template with its parts, and the values that a message of it takes.",
  hints: READS,
  effect: "reads",
  role: "viewer",
  permission: "templates",
  input: z.strictObject({ template_id: idArgument("template", "list_templates") }),
  output: z.object({
    template: templateDetailsSchema,
    values: z.array(templateValueSchema).openapi({ description: "For `components_push` of a message" }),
  }),
  async run({ services: { sql }, caller: { companyId }, args: { template_id: templateId } }) {
    const template = await showTemplate(sql, { companyId, templateId });
    return { template, values: valuesOf(template) };
  },
});
