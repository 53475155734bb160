import { z } from "@hono/zod-openapi";
import type { App } from "../../_shared/http/app/context.ts";
import { pageFields } from "../../_shared/http/app/list_page.ts";
import {
  campaignExample,
  campaignFilters,
  campaignsSchema,
  listCampaigns,
} from "../../_shared/http/company/campaigns.ts";
import { onlyChannel } from "../../_shared/http/guards/company_caller.ts";
import { addCompanyRoute } from "../company_route.ts";

/** `GET …/campaigns` lists the campaigns of a company, newest first. */
export function registerGetCampaigns(app: App): void {
  addCompanyRoute(
    app,
    {
      method: "get",
      path: "/campaigns",
      operationId: "listCampaigns",
      summary: "List campaigns",
      description: "A key sees those of the channels that it may send on.",
      query: z.object({ ...campaignFilters, ...pageFields }),
      response: { schema: campaignsSchema, example: { campaigns: [campaignExample], next: null } },
    },
    async (c, { caller, query }) =>
      await listCampaigns(c.get("services").sql, caller.companyId, {
        ...query,
        channel: onlyChannel(caller, query.channel),
      }),
  );
}
