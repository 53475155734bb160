import { z } from "@hono/zod-openapi";
import { readCampaignSummary } from "../../_shared/db/campaigns/campaigns.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { requireCampaign } from "../../_shared/http/guards/require_campaign.ts";
import { campaignCost } from "../../_shared/pricing/campaign_cost.ts";
import { estimateFields } from "../../_shared/pricing/estimate.ts";
import { addCompanyRoute } from "../company_route.ts";

const priceSchema = z.object({
  country: z.string().nullable().openapi({ description: "ISO 3166-1; null where the number shows none" }),
  category: z.string(),
  type: z.string(),
  billable: z.boolean(),
  messages: z.number().int().min(1).openapi({ description: "Delivered messages; each counts once" }),
  estimated_cost: z.string().nullable(),
}).openapi("PricedMessages");

const pricingSchema = z.object({
  campaign_id: z.uuid(),
  pricing: z.array(priceSchema),
  ...estimateFields,
}).openapi("CampaignPricing");

/** `GET …/campaigns/{campaign_id}/pricing` reports how the platform priced a campaign's delivered messages. */
export function registerGetPricing(app: App): void {
  addCompanyRoute(app, {
    method: "get",
    path: "/campaigns/{campaign_id}/pricing",
    operationId: "getCampaignPricing",
    summary: "Read how the platform priced a campaign's messages",
    description:
      "Counts delivered messages by the recipient's country, category, type and whether they are billed, as the platform " +
      "reports it. The cost is an estimate by the operator's rate card.",
    params: z.object({ campaign_id: z.guid() }),
    response: {
      schema: pricingSchema,
      example: {
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
      },
    },
  }, async (c, { caller, params: { campaign_id: campaignId } }) => {
    const { sql } = c.get("services");
    const ids = await requireCampaign(sql, caller, campaignId);
    const { created_at, scheduled_time } = (await readCampaignSummary(sql, ids))!;
    const day = (scheduled_time ?? created_at).toISOString().slice(0, 10);
    return { campaign_id: campaignId, ...await campaignCost(sql, { ...ids, day }) };
  });
}
