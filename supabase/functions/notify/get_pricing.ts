import { z } from "@hono/zod-openapi";
import { readCampaignSummary } from "../_shared/db/campaigns/campaigns.ts";
import { type ApiRoute, json } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App } from "../_shared/http/app/context.ts";
import { errorResponses } from "../_shared/http/app/error_responses.ts";
import { COMPANY_KEY } from "../_shared/http/app/security.ts";
import { campaignQuery, requireCampaign } from "../_shared/http/guards/require_campaign.ts";
import { campaignCost } from "../_shared/pricing/campaign_cost.ts";
import { estimateFields } from "../_shared/pricing/estimate.ts";

const priceSchema = z.object({
  country: z.string().nullable().openapi({ description: "ISO 3166-1; null where the number shows none" }),
  category: z.string(),
  type: z.string(),
  billable: z.boolean(),
  messages: z.number().int().min(1).openapi({ description: "Delivered messages; each counts once" }),
  estimated_cost: z.string().nullable(),
}).openapi("PricedMessages");

const responseSchema = z.object({
  success: z.literal(true),
  campaign_id: z.uuid(),
  pricing: z.array(priceSchema),
  ...estimateFields,
}).openapi("CampaignPricing");

const route: ApiRoute = {
  method: "get",
  path: "/notify/pricing",
  operationId: "getCampaignPricing",
  summary: "Read how the platform priced a campaign's messages",
  description:
    "Counts delivered messages by the recipient's country, category, type and whether they are billed, as " +
    "the platform reports it. The cost is an estimate by the operator's rate card.",
  tags: ["Campaigns"],
  security: COMPANY_KEY,
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
    ...errorResponses([400, 401, 429], [403, 404]),
  },
};

/**
 * `GET /notify/pricing` reports how the platform priced a campaign's delivered messages. Fails with `unauthorized`,
 * `validation_failed` or `rate_limit_exceeded`; 403 and `Campaign not found` have the short form.
 */
export function registerGetPricing(app: App): void {
  addRoute(app, route, async (c) => {
    const { companyId, campaignId } = await requireCampaign(c, campaignQuery);
    const { sql } = c.var.services;
    const { created_at: createdAt, scheduled_time: scheduledTime } =
      (await readCampaignSummary(sql, { companyId, campaignId }))!;
    const day = (scheduledTime ?? createdAt).toISOString().slice(0, 10);
    const cost = await campaignCost(sql, { companyId, campaignId, day });
    return c.json({ success: true, campaign_id: campaignId, ...cost });
  });
}
