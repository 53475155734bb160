import { z } from "@hono/zod-openapi";
import type { App } from "../../_shared/http/app/context.ts";
import {
  showTemplate,
  templateDetailsExample,
  templateDetailsSchema,
} from "../../_shared/http/company/template_details.ts";
import { addMemberRoute } from "../member_route.ts";

/** `GET …/templates/{template_id}` shows one template with its parts. */
export function registerGetTemplate(app: App): void {
  addMemberRoute(
    app,
    {
      method: "get",
      path: "/templates/{template_id}",
      operationId: "getTemplate",
      summary: "Show a template with its parts",
      role: "viewer",
      params: z.object({ template_id: z.guid() }),
      response: { schema: templateDetailsSchema, example: templateDetailsExample },
    },
    async (c, { member: { companyId }, params: { template_id: templateId } }) =>
      await showTemplate(c.get("services").sql, { companyId, templateId }),
  );
}
