import { z } from "@hono/zod-openapi";
import type { App } from "../../_shared/http/app/context.ts";
import {
  campaignDetailsExample,
  campaignDetailsSchema,
  showCampaign,
} from "../../_shared/http/company/campaign_details.ts";
import { addMemberRoute } from "../member_route.ts";

/** `GET …/campaigns/{campaign_id}` shows one campaign, with its counters and what it is sent by. */
export function registerGetCampaign(app: App): void {
  addMemberRoute(
    app,
    {
      method: "get",
      path: "/campaigns/{campaign_id}",
      operationId: "getCampaign",
      summary: "Show a campaign",
      role: "viewer",
      params: z.object({ campaign_id: z.guid() }),
      response: { schema: campaignDetailsSchema, example: campaignDetailsExample },
    },
    async (c, { member: { companyId }, params: { campaign_id: campaignId } }) =>
      await showCampaign(c.get("services").sql, { companyId, campaignId }),
  );
}
