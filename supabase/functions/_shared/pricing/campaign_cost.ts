import type { z } from "@hono/zod-openapi";
import { type PricingCount, readCampaignPricing } from "../db/campaigns/campaign_pricing.ts";
import { readBillingCurrency } from "../db/access/companies.ts";
import type { Sql } from "../db/driver/connect.ts";
import { estimateCost, type estimateFields } from "./estimate.ts";

/** Messages of a campaign that the platform priced in one way. */
export type PricedCount = PricingCount & {
  /** Null where the rate card has no rate for them. */
  estimated_cost: string | null;
};

/** The prices of a campaign's delivered messages, and what they cost by the operator's rate card. */
export type CampaignCost = { pricing: PricedCount[] } & z.infer<z.ZodObject<typeof estimateFields>>;

/** Returns how a campaign's messages were priced. The rates are those of `day`, the day in UTC on which it was due. */
export async function campaignCost(
  sql: Sql,
  { companyId, campaignId, day }: { companyId: string; campaignId: string; day: string },
): Promise<CampaignCost> {
  const counts = await readCampaignPricing(sql, { companyId, campaignId });
  const billable = counts.filter((count) => count.billable);
  const { total, costs } = await estimateCost(
    sql,
    billable.map(({ country, category, messages }) => ({ country, category, messages, day })),
    await readBillingCurrency(sql, companyId),
  );
  return {
    pricing: counts.map((count) => ({
      ...count,
      estimated_cost: count.billable ? costs[billable.indexOf(count)]! : "0",
    })),
    ...total,
  };
}
