import { z } from "@hono/zod-openapi";
import type { App } from "../../_shared/http/app/context.ts";
import { pageFields } from "../../_shared/http/app/list_page.ts";
import { callExample, callFilters, callsSchema, listCalls } from "../../_shared/http/company/calls.ts";
import { addCompanyRoute } from "../company_route.ts";

/** `GET …/calls` lists the calls of a company, newest first. */
export function registerGetCalls(app: App): void {
  addCompanyRoute(app, {
    method: "get",
    path: "/calls",
    operationId: "listCalls",
    summary: "List calls",
    description: "Those that were made or are going on; a campaign's recipients show those that wait.",
    query: z.object({ ...callFilters, ...pageFields }),
    response: { schema: callsSchema, example: { calls: [callExample], next: null } },
  }, async (c, { caller: { companyId }, query }) => await listCalls(c.get("services").sql, companyId, query));
}
