import { readArchivedAt } from "../db/archive/archive_files.ts";
import type { CampaignIds } from "../db/campaigns/campaign_control.ts";
import type { Sql } from "../db/driver/connect.ts";
import { AppError } from "../errors.ts";

/**
 * The refusal when messages of a campaign have left the database: what reads them would show only a part, or nothing, as
 * if there were no more.
 */
export function campaignArchived(campaignId: string, at: Date): AppError {
  return new AppError(
    "campaign_archived",
    `The messages of the campaign ${campaignId} are in the archive since ${at.toISOString()}, and its counters stay; ` +
      "the operator of this service can restore its file",
    { details: { campaign_id: campaignId, archived_at: at.toISOString() } },
  );
}

/** Throws {@link campaignArchived} when messages of a campaign have left the database. */
export async function refuseArchived(sql: Sql, ids: CampaignIds): Promise<void> {
  const at = await readArchivedAt(sql, ids);
  if (at !== null) throw campaignArchived(ids.campaignId, at);
}
