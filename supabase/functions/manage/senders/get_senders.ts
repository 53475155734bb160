import { z } from "@hono/zod-openapi";
import type { App } from "../../_shared/http/app/context.ts";
import { pageFields } from "../../_shared/http/app/list_page.ts";
import {
  listSenders,
  senderExample,
  senderFilters,
  sendersSchema,
} from "../../_shared/http/company/senders.ts";
import { addCompanyRoute } from "../company_route.ts";

/** `GET …/senders` lists the numbers of a company, newest first. */
export function registerGetSenders(app: App): void {
  addCompanyRoute(
    app,
    {
      method: "get",
      path: "/senders",
      operationId: "listSenders",
      summary: "List senders",
      query: z.object({ ...senderFilters, ...pageFields }),
      response: { schema: sendersSchema, example: { senders: [senderExample], next: null } },
    },
    async (c, { caller: { companyId }, query }) => await listSenders(c.get("services").sql, companyId, query),
  );
}
