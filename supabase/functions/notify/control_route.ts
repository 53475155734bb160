import { z } from "@hono/zod-openapi";
import type { Effect } from "../_shared/access/effects.ts";
import type { Actor } from "../_shared/db/access/audit.ts";
import type { CampaignIds, ControlledCampaign } from "../_shared/db/campaigns/campaign_control.ts";
import type { Sql } from "../_shared/db/driver/connect.ts";
import { type ApiRoute, json } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App } from "../_shared/http/app/context.ts";
import { errorResponses } from "../_shared/http/app/error_responses.ts";
import { COMPANY_KEY } from "../_shared/http/app/security.ts";
import { campaignQuery, requireCampaign } from "../_shared/http/guards/require_campaign.ts";
import { campaignStateSchema } from "../_shared/http/app/shared_schemas.ts";

export interface ControlRoute {
  method: "post";
  path: string;
  operationId: string;
  summary: string;
  description: string;
  /** The response field that counts the changed notifications, and its description. */
  counter: {
    name: "stopped" | "paused" | "resumed";
    description: string;
    /** The name of the response in the API document. */
    schema: string;
    /** The campaign's status in the example. */
    leaves: "cancelled" | "paused" | "sending";
  };
  "x-effect": Effect;
  control(sql: Sql, ids: CampaignIds, by: Actor): Promise<ControlledCampaign>;
}

/** Adds a route that takes `access_key` and `campaign_id`, changes the whole campaign and responds with its state. */
export function addControlRoute(
  app: App,
  { counter, control, ...named }: ControlRoute,
): void {
  const count = z.number().int().min(0);
  const responseSchema = z.object({
    success: z.literal(true),
    campaign_id: z.uuid(),
    status: campaignStateSchema,
    [counter.name]: count.openapi({ description: counter.description }),
    in_flight: count.openapi({
      description: "Being sent right now, or waiting for the platform to report on a try",
    }),
  }).openapi(counter.schema);
  const example = {
    success: true as const,
    campaign_id: "0192f8a6-3d2e-7f41-9a5b-6c7d8e9f0a1b",
    status: counter.leaves,
    [counter.name]: 40,
    in_flight: 10,
  };
  const route: ApiRoute = {
    ...named,
    tags: ["Campaigns"],
    security: COMPANY_KEY,
    request: { query: campaignQuery },
    responses: {
      200: {
        description: "Done; a repeated request changes nothing",
        ...json(responseSchema, example),
      },
      ...errorResponses([400, 401, 429], [403, 404]),
    },
  };
  addRoute(app, route, async (c) => {
    const { companyId, campaignId, by } = await requireCampaign(c, campaignQuery);
    const { services } = c.var;
    const { status, changed, in_flight: inFlight } = await control(
      services.sql,
      { companyId, campaignId },
      by,
    );
    // Resumed notifications may leave at once.
    services.newWork.notify();
    return c.json({
      success: true,
      campaign_id: campaignId,
      status,
      [counter.name]: changed,
      in_flight: inFlight,
    });
  });
}
