import { z } from "@hono/zod-openapi";
import { explainFailures } from "../../_shared/campaigns/failures.ts";
import { readCampaignSummary } from "../../_shared/db/campaigns.ts";
import { AppError } from "../../_shared/errors.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { FAILURES_EXAMPLE, failuresSchema } from "../../_shared/http/failures_schema.ts";
import { addMemberRoute } from "../member_route.ts";

/** `GET …/campaigns/{campaign_id}/failures` groups what failed or was skipped of a campaign by code. */
export function registerGetFailures(app: App): void {
  addMemberRoute(app, {
    method: "get",
    path: "/campaigns/{campaign_id}/failures",
    operationId: "listCampaignFailures",
    summary: "Explain what failed or was skipped of a campaign",
    description: "Grouped by code, the most frequent first, as GET /notify/failures.",
    role: "viewer",
    params: z.object({ campaign_id: z.guid() }),
    response: { schema: failuresSchema, example: FAILURES_EXAMPLE },
  }, async (c, { member: { companyId }, params: { campaign_id: campaignId } }) => {
    const { sql } = c.get("services");
    const [campaign, report] = await Promise.all([
      readCampaignSummary(sql, { companyId, campaignId }),
      explainFailures(sql, { companyId, campaignId }),
    ]);
    if (campaign === undefined) throw new AppError("not_found", "Campaign not found");
    return { success: true as const, campaign_id: campaignId, ...report };
  });
}
