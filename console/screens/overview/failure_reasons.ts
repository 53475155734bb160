import { api, ask } from "../../data/client.ts";
import { companyId } from "../../data/company.ts";
import { type Query, useQuery } from "../../data/query.ts";
import { type Campaign, type Failure, listCampaignFailures } from "../../data/sdk.ts";

/** More campaigns would be more requests. */
const MAX_CAMPAIGNS = 5;

/** A reason across campaigns, with the campaign in which it is most frequent. */
export interface Reason extends Pick<Failure, "code" | "meaning" | "what_to_do" | "count"> {
  campaignId: string;
}

/** Adds up why recipients of the latest campaigns failed. */
export function useFailureReasons(campaigns: Campaign[]): Query<Reason[]> {
  const company_id = companyId();
  const failed = campaigns.filter((each) => each.failed > 0).slice(0, MAX_CAMPAIGNS);
  const key = failed.map(({ campaign_id, failed }) => `${campaign_id}:${failed}`).join();
  return useQuery(`failure reasons ${company_id} ${key}`, async (signal) => {
    const found = await Promise.all(
      failed.map(async ({ campaign_id }) => {
        const path = { company_id, campaign_id };
        const { failures } = await ask(listCampaignFailures({ client: api(), path, signal }));
        return failures.filter(({ status }) => status === "failed")
          .map((failure) => ({ ...failure, campaignId: campaign_id }));
      }),
    );
    return addUp(found.flat());
  });
}

/** Adds reasons with one code, the most frequent first. */
function addUp(reasons: Reason[]): Reason[] {
  const byCode = Map.groupBy(reasons, ({ code }) => code);
  return [...byCode.values()].map((same) => {
    const largest = same.reduce((a, b) => b.count > a.count ? b : a);
    return { ...largest, count: same.reduce((sum, { count }) => sum + count, 0) };
  }).sort((a, b) => b.count - a.count);
}
