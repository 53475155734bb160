import { z } from "@hono/zod-openapi";
import type { App } from "../../_shared/http/app/context.ts";
import {
  showTemplate,
  templateDetailsExample,
  templateDetailsSchema,
} from "../../_shared/http/company/templates.ts";
import { templateValueSchema, valuesOf } from "../../_shared/http/company/template_values.ts";
import { addCompanyRoute } from "../company_route.ts";

const detailsSchema = templateDetailsSchema.extend({
  values: z.array(templateValueSchema).openapi({
    description: "Every value that a message may supply, with what it takes",
  }),
}).openapi("ManagedTemplate");

const detailsExample: z.input<typeof detailsSchema> = {
  ...templateDetailsExample,
  values: [
    { name: "body_text_0", required: true, kind: "text", expects: "text", example: "Ana" },
    { name: "body_text_1", required: true, kind: "text", expects: "text", example: "A-1001" },
  ],
};

/** `GET …/templates/{template_id}` shows one template with its parts, and the values that a message supplies. */
export function registerGetTemplate(app: App): void {
  addCompanyRoute(
    app,
    {
      method: "get",
      path: "/templates/{template_id}",
      operationId: "getTemplate",
      summary: "Show a template with its parts",
      params: z.object({ template_id: z.guid() }),
      response: { schema: detailsSchema, example: detailsExample },
    },
    async (c, { caller: { companyId }, params: { template_id: templateId } }) => {
      const template = await showTemplate(c.get("services").sql, { companyId, templateId });
      return { ...template, values: valuesOf(template) };
    },
  );
}
