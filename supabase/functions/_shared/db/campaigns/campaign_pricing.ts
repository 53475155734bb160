import type { Sql } from "../driver/connect.ts";

/** How many delivered messages of a campaign the platform priced in one way. */
export interface PricingCount {
  /** By ISO 3166-1; null where the number does not show it. */
  country: string | null;
  category: string;
  type: string;
  billable: boolean;
  messages: number;
}

/** Returns how the platform priced a campaign's messages, the most expensive categories and the largest counts first. */
export async function readCampaignPricing(
  sql: Sql,
  { companyId, campaignId }: { companyId: string; campaignId: string },
): Promise<PricingCount[]> {
  return [
    ...await sql<PricingCount[]>`
      select nullif(p.country, '') as country, p.category, p.type, p.billable, p.messages
      from outbound.campaign_pricing as p
      where p.company_id = ${companyId} and p.campaign_id = ${campaignId}
      order by p.category, p.messages desc, p.country, p.type, p.billable`,
  ];
}
