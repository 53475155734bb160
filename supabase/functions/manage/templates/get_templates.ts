import { z } from "@hono/zod-openapi";
import { readTemplatePage } from "../../_shared/db/templates.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { nextSchema, pageFields } from "../../_shared/http/app/list_page.ts";
import { addMemberRoute } from "../member_route.ts";
import { describeTemplate, templateExample, templateSchema } from "./template_schema.ts";

/** `GET …/templates` lists our copies of a company's templates, newest first. */
export function registerGetTemplates(app: App): void {
  addMemberRoute(app, {
    method: "get",
    path: "/templates",
    operationId: "listManagedTemplates",
    summary: "List templates",
    role: "viewer",
    query: z.object({
      status: z.string().max(50).optional().openapi({ example: "approved" }),
      waba_id: z.string().max(64).optional().openapi({ example: "102290129340398" }),
      name: z.string().max(512).optional().openapi({ example: "order_update" }),
      ...pageFields,
    }),
    response: {
      schema: z.object({ templates: z.array(templateSchema), next: nextSchema }).openapi("ManagedTemplates"),
      example: { templates: [templateExample], next: null },
    },
  }, async (c, { member: { companyId }, query: { waba_id: wabaId, ...query } }) => {
    const rows = await readTemplatePage(c.get("services").sql, { companyId, wabaId, ...query });
    return {
      templates: rows.map(describeTemplate),
      next: rows.length < query.limit ? null : rows.at(-1)!.templateId,
    };
  });
}
