import { z } from "@hono/zod-openapi";
import type { Effect } from "../../_shared/access/effects.ts";
import type { App } from "../../_shared/http/app/context.ts";
import {
  type CampaignControl,
  controlCampaign,
  controlledSchema,
} from "../../_shared/http/company/control_campaign.ts";
import { requireCampaign } from "../../_shared/http/guards/require_campaign.ts";
import { addCompanyRoute } from "../company_route.ts";

export interface ControlRoute {
  verb: CampaignControl;
  summary: string;
  description: string;
  /** The campaign's status afterwards, in the example. */
  leaves: z.input<typeof controlledSchema>["status"];
  effect: Effect;
}

/** Adds `POST …/campaigns/{campaign_id}/<verb>`, which steers a whole campaign. */
export function addControl(app: App, { verb, summary, description, leaves, effect }: ControlRoute): void {
  addCompanyRoute(
    app,
    {
      method: "post",
      path: `/campaigns/{campaign_id}/${verb}`,
      operationId: `${verb}Campaign`,
      summary,
      description: `${description} A repeated request changes nothing.`,
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
    async (c, { caller, params: { campaign_id: campaignId } }) => {
      const services = c.get("services");
      const ids = await requireCampaign(services.sql, caller, campaignId);
      return await controlCampaign(services, verb, ids, caller.by);
    },
  );
}
