import { z } from "@hono/zod-openapi";
import type { App } from "../../_shared/http/app/context.ts";
import {
  campaignDetailsExample,
  campaignDetailsSchema,
  showCampaign,
} from "../../_shared/http/company/campaign_details.ts";
import { requireCampaign } from "../../_shared/http/guards/require_campaign.ts";
import { addCompanyRoute } from "../company_route.ts";

/** `GET …/campaigns/{campaign_id}` shows one campaign, with its counters and what it is sent by. */
export function registerGetCampaign(app: App): void {
  addCompanyRoute(
    app,
    {
      method: "get",
      path: "/campaigns/{campaign_id}",
      operationId: "getCampaign",
      summary: "Show a campaign",
      params: z.object({ campaign_id: z.guid() }),
      response: { schema: campaignDetailsSchema, example: campaignDetailsExample },
    },
    async (c, { caller, params: { campaign_id: campaignId } }) => {
      const services = c.get("services");
      return await showCampaign(services, await requireCampaign(services.sql, caller, campaignId));
    },
  );
}
