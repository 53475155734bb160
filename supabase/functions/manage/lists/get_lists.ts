import { z } from "@hono/zod-openapi";
import type { App } from "../../_shared/http/app/context.ts";
import { pageFields } from "../../_shared/http/app/list_page.ts";
import {
  contactListsSchema,
  LIST_EXAMPLE,
  listContactLists,
} from "../../_shared/http/company/contact_lists.ts";
import { addCompanyRoute } from "../company_route.ts";

/** `GET …/lists` lists the saved lists of contacts. */
export function registerGetLists(app: App): void {
  addCompanyRoute(
    app,
    {
      method: "get",
      path: "/lists",
      operationId: "listContactLists",
      summary: "List the saved lists of contacts",
      query: z.object(pageFields),
      response: {
        schema: contactListsSchema,
        example: { lists: [{ ...LIST_EXAMPLE, count: null }], next: null },
      },
    },
    async (c, { caller: { companyId }, query }) =>
      await listContactLists(c.get("services").sql, companyId, query),
  );
}
