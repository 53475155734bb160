import { type RouteConfig, z } from "@hono/zod-openapi";
import type { CampaignIds, ControlledCampaign } from "../_shared/db/campaign_control.ts";
import type { Sql } from "../_shared/db/connect.ts";
import { addRoute, type App } from "../_shared/http/app.ts";
import { errorResponses } from "../_shared/http/error_responses.ts";
import { requireCampaign } from "../_shared/http/require_campaign.ts";

export interface ControlRoute {
  method: "post";
  path: string;
  summary: string;
  description: string;
  /** What the answer calls the notifications that were changed, and what it says about them. */
  counter: { name: "stopped" | "paused" | "resumed"; description: string };
  control(sql: Sql, ids: CampaignIds): Promise<ControlledCampaign>;
}

/** Adds a route that takes `access_key` and `campaign_id`, does something to the whole campaign and tells how far it got. */
export function addControlRoute(
  app: App,
  { method, path, counter, control, summary, description }: ControlRoute,
): void {
  const count = z.number().int().min(0);
  const answerSchema = z.object({
    success: z.literal(true),
    campaign_id: z.uuid(),
    status: z.enum(["scheduled", "sending", "paused", "completed", "cancelled"]),
    [counter.name]: count.openapi({ description: counter.description }),
    in_flight: count.openapi({
      description: "Being sent right now, or waiting for the platform's word about a try",
    }),
  });
  const route: RouteConfig = {
    method,
    path,
    summary,
    description,
    tags: ["Campaigns"],
    request: { query: z.object({ access_key: z.string(), campaign_id: z.string() }) },
    responses: {
      200: {
        description: "Done; asking again changes nothing",
        content: { "application/json": { schema: answerSchema } },
      },
      ...errorResponses([400, 401, 429], [403, 404]),
    },
  };
  addRoute(app, route, async (c) => {
    const { companyId, campaignId } = await requireCampaign(c, () => ({}));
    const { services } = c.var;
    const { status, changed, inFlight } = await control(services.sql, { companyId, campaignId });
    // What was resumed may leave at once.
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
