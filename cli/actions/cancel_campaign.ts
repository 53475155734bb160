import { cancelCampaign as cancelInDatabase } from "../../supabase/functions/_shared/db/campaign_control.ts";
import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import { showCampaign } from "./show_campaign.ts";

/**
 * Stops what has not left yet. `inFlight` are past stopping: a dispatcher holds them.
 *
 * @throws {CommandError} `not_found`
 */
export async function cancelCampaign(
  { sql }: { sql: Sql },
  { campaignId }: { campaignId: string },
): Promise<{ campaignId: string; cancelled: number; inFlight: number }> {
  const { companyId } = await showCampaign({ sql }, { campaignId });
  const { changed, inFlight } = await cancelInDatabase(sql, { companyId, campaignId });
  return { campaignId, cancelled: changed, inFlight };
}
