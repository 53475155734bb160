import { type CampaignIds, readCampaignChannel } from "../../db/campaigns/campaign_control.ts";
import type { Sql } from "../../db/driver/connect.ts";
import { AppError } from "../../errors.ts";
import { type CompanyCaller, requireChannel } from "./company_caller.ts";

/**
 * Returns the ids of a campaign that the caller may see. Throws `not_found`, and `permission_missing` for one of a channel
 * that a key may not send on.
 */
export async function requireCampaign(
  sql: Sql,
  caller: CompanyCaller,
  campaignId: string,
): Promise<CampaignIds> {
  const ids = { companyId: caller.companyId, campaignId };
  const channel = await readCampaignChannel(sql, ids);
  if (channel === undefined) throw new AppError("not_found", "Campaign not found");
  requireChannel(caller, channel);
  return ids;
}
