import { z } from "@hono/zod-openapi";
import { hashAccessKey } from "../_shared/access/new_keys.ts";
import { checkQuery } from "../_shared/check_fields.ts";
import { readCampaign } from "../_shared/db/campaigns.ts";
import { AppError } from "../_shared/errors.ts";
import { type ApiRoute, json } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App } from "../_shared/http/app/context.ts";
import { errorResponses } from "../_shared/http/app/error_responses.ts";
import { campaignQuery } from "../_shared/http/guards/require_campaign.ts";
import { campaignCost } from "../_shared/pricing/campaign_cost.ts";
import { estimateFields } from "../_shared/pricing/estimate.ts";

const responseSchema = z.object({
  success: z.literal(true),
  campaign_id: z.uuid(),
  pricing: z.array(z.object({
    country: z.string().nullable().openapi({ description: "ISO 3166-1; null where the number shows none" }),
    category: z.string(),
    type: z.string(),
    billable: z.boolean(),
    messages: z.number().int().min(1).openapi({ description: "Delivered messages; each counts once" }),
    estimated_cost: z.string().nullable(),
  })),
  ...estimateFields,
}).openapi("CampaignPricing");

const route: ApiRoute = {
  method: "get",
  path: "/notify/pricing",
  operationId: "getCampaignPricing",
  summary: "Read how the platform priced a campaign's messages",
  description:
    "Counts delivered messages by the recipient's country, category, type and whether they are billed, as " +
    "the platform reports it. The cost is an estimate by the operator's rate card. Never rate limited.",
  tags: ["Campaigns"],
  request: { query: campaignQuery },
  responses: {
    200: {
      description: "The campaign's prices",
      ...json(responseSchema, {
        success: true,
        campaign_id: "0192f8a6-3d2e-7f41-9a5b-6c7d8e9f0a1b",
        pricing: [
          {
            country: "ES",
            category: "marketing",
            type: "regular",
            billable: true,
            messages: 100,
            estimated_cost: "6.15",
          },
        ],
        estimated_cost: { amount: "6.15", currency: "USD", complete: true },
      }),
    },
    ...errorResponses([503], [400, 404, 500, 503]),
  },
};

/**
 * `GET /notify/pricing` reports how the platform priced a campaign's delivered messages. Its errors are those of
 * `GET /notify/status`.
 */
export function registerGetPricing(app: App): void {
  addRoute(app, route, async (c) => {
    const query = checkQuery(campaignQuery, c.req.query());
    const { sql } = c.var.services;
    const found = await readCampaign(sql, {
      keyHash: hashAccessKey(query.access_key),
      campaignId: z.uuid().safeParse(query.campaign_id).data ?? null,
    });
    if (!found) throw new AppError("not_found", "Invalid access_key");
    c.set("companyId", found.company_id);
    if (!found.campaign) throw new AppError("not_found", "Campaign not found");
    const { id, created_at, scheduled_time } = found.campaign;
    const day = (scheduled_time ?? created_at).toISOString().slice(0, 10);
    const cost = await campaignCost(sql, { companyId: found.company_id, campaignId: id, day });
    return c.json({ success: true, campaign_id: id, ...cost });
  }, { errorShape: "short" });
}
