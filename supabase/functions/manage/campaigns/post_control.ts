import { z } from "@hono/zod-openapi";
import type { App } from "../../_shared/http/app/context.ts";
import { controlCampaign, controlledSchema } from "../../_shared/http/company/control_campaign.ts";
import { addMemberRoute } from "../member_route.ts";

const CONTROLS = [
  { verb: "pause", summary: "Pause a campaign", leaves: "paused", effect: "stops" },
  { verb: "resume", summary: "Resume a campaign", leaves: "sending", effect: "acts" },
  { verb: "cancel", summary: "Cancel a campaign", leaves: "cancelled", effect: "stops" },
] as const;

/** `POST …/campaigns/{campaign_id}/pause`, `…/resume` and `…/cancel` steer a whole campaign. */
export function registerControl(app: App): void {
  for (const { verb, summary, leaves, effect } of CONTROLS) {
    addMemberRoute(
      app,
      {
        method: "post",
        path: `/campaigns/{campaign_id}/${verb}`,
        operationId: `${verb}ManagedCampaign`,
        summary,
        description: "A repeated request changes nothing.",
        role: "operator",
        effect,
        params: z.object({ campaign_id: z.guid() }),
        response: {
          schema: controlledSchema,
          example: {
            campaign_id: "0192f8a6-3d2e-7f41-9a5b-6c7d8e9f0a1b",
            status: leaves,
            changed: 40,
            in_flight: 10,
          },
        },
      },
      async (c, { member: { companyId, by }, params: { campaign_id: campaignId } }) =>
        await controlCampaign(c.get("services"), verb, { companyId, campaignId }, by),
    );
  }
}
