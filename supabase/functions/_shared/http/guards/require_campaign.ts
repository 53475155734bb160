import { campaignArchived } from "../../archive/refuse_archived.ts";
import { type CampaignIds, readCampaignAccess } from "../../db/campaigns/campaign_control.ts";
import type { Sql } from "../../db/driver/connect.ts";
import { AppError } from "../../errors.ts";
import { type CompanyCaller, requireChannel, requireSender } from "./company_caller.ts";

/**
 * Returns the ids of a campaign that the caller may see. Throws `not_found`, `permission_missing` for one of a channel
 * that a key may not send on, and `sender_forbidden` for one of a sender that it may not use.
 */
export async function requireCampaign(
  sql: Sql,
  caller: CompanyCaller,
  campaignId: string,
): Promise<CampaignIds> {
  return (await readVisible(sql, caller, campaignId)).ids;
}

/** The same for a request that reads the campaign's messages. Throws `campaign_archived` too. */
export async function requireMessages(
  sql: Sql,
  caller: CompanyCaller,
  campaignId: string,
): Promise<CampaignIds> {
  const { ids, archived_at: at } = await readVisible(sql, caller, campaignId);
  if (at !== null) throw campaignArchived(campaignId, at);
  return ids;
}

async function readVisible(sql: Sql, caller: CompanyCaller, campaignId: string) {
  const ids = { companyId: caller.companyId, campaignId };
  const found = await readCampaignAccess(sql, ids);
  if (found === undefined) throw new AppError("not_found", "Campaign not found");
  requireChannel(caller, found.channel);
  requireSender(caller, found.sender_id);
  return { ids, ...found };
}
