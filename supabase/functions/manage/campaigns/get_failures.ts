import { z } from "@hono/zod-openapi";
import type { App } from "../../_shared/http/app/context.ts";
import {
  FAILURES_EXAMPLE,
  failuresSchema,
  showFailures,
} from "../../_shared/http/company/campaign_failures.ts";
import { requireCampaign } from "../../_shared/http/guards/require_campaign.ts";
import { addCompanyRoute } from "../company_route.ts";

/** `GET …/campaigns/{campaign_id}/failures` groups what failed or was skipped of a campaign by code. */
export function registerGetFailures(app: App): void {
  addCompanyRoute(
    app,
    {
      method: "get",
      path: "/campaigns/{campaign_id}/failures",
      operationId: "listCampaignFailures",
      summary: "Explain what failed or was skipped of a campaign",
      description:
        "Grouped by code, the most frequent first. It reads nothing but what failed or was skipped.",
      params: z.object({ campaign_id: z.guid() }),
      response: { schema: failuresSchema, example: FAILURES_EXAMPLE },
      refusals: [409],
    },
    async (c, { caller, params: { campaign_id: campaignId } }) => {
      const { sql } = c.get("services");
      return await showFailures(sql, await requireCampaign(sql, caller, campaignId));
    },
  );
}
