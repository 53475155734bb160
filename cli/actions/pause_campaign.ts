import { pauseCampaign as pauseInDatabase } from "../../supabase/functions/_shared/db/campaign_control.ts";
import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import { showCampaign } from "./show_campaign.ts";

/**
 * Holds what has not left yet, until it is resumed. `inFlight` are past holding: a dispatcher has them.
 *
 * @throws {CommandError} `not_found`
 */
export async function pauseCampaign(
  { sql }: { sql: Sql },
  { campaignId }: { campaignId: string },
): Promise<{ campaignId: string; status: string; paused: number; inFlight: number }> {
  const { companyId } = await showCampaign({ sql }, { campaignId });
  const { status, changed, inFlight } = await pauseInDatabase(sql, { companyId, campaignId });
  return { campaignId, status, paused: changed, inFlight };
}
