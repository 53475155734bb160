import { z } from "@hono/zod-openapi";
import type { App } from "../../_shared/http/app/context.ts";
import {
  FAILURES_EXAMPLE,
  failuresSchema,
  showFailures,
} from "../../_shared/http/company/campaign_failures.ts";
import { addMemberRoute } from "../member_route.ts";

/** `GET …/campaigns/{campaign_id}/failures` groups what failed or was skipped of a campaign by code. */
export function registerGetFailures(app: App): void {
  addMemberRoute(
    app,
    {
      method: "get",
      path: "/campaigns/{campaign_id}/failures",
      operationId: "listCampaignFailures",
      summary: "Explain what failed or was skipped of a campaign",
      description: "Grouped by code, the most frequent first, as GET /notify/failures.",
      role: "viewer",
      params: z.object({ campaign_id: z.guid() }),
      response: { schema: failuresSchema, example: FAILURES_EXAMPLE },
    },
    async (c, { member: { companyId }, params: { campaign_id: campaignId } }) =>
      await showFailures(c.get("services").sql, { companyId, campaignId }),
  );
}
