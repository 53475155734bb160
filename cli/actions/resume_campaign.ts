import { resumeCampaign as resumeInDatabase } from "../../supabase/functions/_shared/db/campaign_control.ts";
import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import { showCampaign } from "./show_campaign.ts";

/**
 * Lets go what a pause holds: at once when its time has passed, otherwise at its time.
 *
 * @throws {CommandError} `not_found`
 */
export async function resumeCampaign(
  { sql }: { sql: Sql },
  { campaignId }: { campaignId: string },
): Promise<{ campaignId: string; status: string; resumed: number; inFlight: number }> {
  const { companyId } = await showCampaign({ sql }, { campaignId });
  const { status, changed, inFlight } = await resumeInDatabase(sql, { companyId, campaignId });
  return { campaignId, status, resumed: changed, inFlight };
}
