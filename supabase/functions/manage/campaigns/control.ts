import { z } from "@hono/zod-openapi";
import type { Effect } from "../../_shared/access/effects.ts";
import type { App } from "../../_shared/http/app/context.ts";
import {
  type CampaignControl,
  controlCampaign,
  controlledSchema,
} from "../../_shared/http/company/control_campaign.ts";
import { addMemberRoute } from "../member_route.ts";

export interface ControlRoute {
  verb: CampaignControl;
  summary: string;
  /** The campaign's status afterwards, in the example. */
  leaves: z.input<typeof controlledSchema>["status"];
  effect: Effect;
}

/** Adds `POST …/campaigns/{campaign_id}/<verb>`, which steers a whole campaign. */
export function addControl(app: App, { verb, summary, leaves, effect }: ControlRoute): void {
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
