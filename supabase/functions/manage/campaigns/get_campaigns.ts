import { z } from "@hono/zod-openapi";
import type { App } from "../../_shared/http/app/context.ts";
import { pageFields } from "../../_shared/http/app/list_page.ts";
import {
  campaignExample,
  campaignFilters,
  campaignsSchema,
  listCampaigns,
} from "../../_shared/http/company/campaigns.ts";
import { addMemberRoute } from "../member_route.ts";

/** `GET …/campaigns` lists the campaigns of a company, newest first. */
export function registerGetCampaigns(app: App): void {
  addMemberRoute(
    app,
    {
      method: "get",
      path: "/campaigns",
      operationId: "listCampaigns",
      summary: "List campaigns",
      role: "viewer",
      query: z.object({ ...campaignFilters, ...pageFields }),
      response: { schema: campaignsSchema, example: { campaigns: [campaignExample], next: null } },
    },
    async (c, { member: { companyId }, query }) =>
      await listCampaigns(c.get("services").sql, companyId, query),
  );
}
