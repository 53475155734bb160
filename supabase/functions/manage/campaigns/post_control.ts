import { z } from "@hono/zod-openapi";
import { cancelCampaign, pauseCampaign, resumeCampaign } from "../../_shared/db/campaign_control.ts";
import { readCampaignSummary } from "../../_shared/db/campaigns.ts";
import { AppError } from "../../_shared/errors.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { addMemberRoute } from "../member_route.ts";
import { campaignStateSchema } from "../../_shared/http/app/shared_schemas.ts";

const CONTROLS = [
  { verb: "pause", summary: "Pause a campaign", control: pauseCampaign, leaves: "paused" },
  { verb: "resume", summary: "Resume a campaign", control: resumeCampaign, leaves: "sending" },
  { verb: "cancel", summary: "Cancel a campaign", control: cancelCampaign, leaves: "cancelled" },
] as const;

const responseSchema = z.object({
  campaign_id: z.guid(),
  status: campaignStateSchema,
  changed: z.number().int().min(0).openapi({
    description: "Notifications that were held, released or cancelled",
  }),
  in_flight: z.number().int().min(0).openapi({
    description: "Being sent right now, or waiting for the platform to report on a try",
  }),
}).openapi("ControlledCampaign");

/** `POST …/campaigns/{campaign_id}/pause`, `…/resume` and `…/cancel` steer a whole campaign. */
export function registerControl(app: App): void {
  for (const { verb, summary, control, leaves } of CONTROLS) {
    addMemberRoute(app, {
      method: "post",
      path: `/campaigns/{campaign_id}/${verb}`,
      operationId: `${verb}ManagedCampaign`,
      summary,
      description: "A repeated request changes nothing.",
      role: "operator",
      params: z.object({ campaign_id: z.guid() }),
      response: {
        schema: responseSchema,
        example: {
          campaign_id: "0192f8a6-3d2e-7f41-9a5b-6c7d8e9f0a1b",
          status: leaves,
          changed: 40,
          in_flight: 10,
        },
      },
    }, async (c, { member: { companyId, by }, params: { campaign_id: campaignId } }) => {
      const { sql, newWork } = c.get("services");
      const campaign = await readCampaignSummary(sql, { companyId, campaignId });
      if (campaign === undefined) throw new AppError("not_found", "Campaign not found");
      const { status, changed, inFlight } = await control(sql, { companyId, campaignId }, by);
      // Resumed notifications may leave at once.
      newWork.notify();
      return { campaign_id: campaignId, status, changed, in_flight: inFlight };
    });
  }
}
