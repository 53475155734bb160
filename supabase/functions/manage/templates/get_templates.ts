import { z } from "@hono/zod-openapi";
import type { App } from "../../_shared/http/app/context.ts";
import { pageFields } from "../../_shared/http/app/list_page.ts";
import {
  listTemplates,
  templateExample,
  templateFilters,
  templatesSchema,
} from "../../_shared/http/company/templates.ts";
import { addCompanyRoute } from "../company_route.ts";

/** `GET …/templates` lists our copies of a company's templates, newest first. */
export function registerGetTemplates(app: App): void {
  addCompanyRoute(
    app,
    {
      method: "get",
      path: "/templates",
      operationId: "listManagedTemplates",
      summary: "List templates",
      query: z.object({ ...templateFilters, ...pageFields }),
      response: { schema: templatesSchema, example: { templates: [templateExample], next: null } },
    },
    async (c, { caller: { companyId }, query }) =>
      await listTemplates(c.get("services").sql, companyId, query),
  );
}
