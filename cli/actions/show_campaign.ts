import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import { CommandError } from "../command_error.ts";
import { campaignColumns, type CampaignRow, campaignState } from "./campaign_row.ts";

/**
 * One campaign, by the `inquiry_set_id` its creator was given.
 *
 * @throws {CommandError} `not_found`
 */
export async function showCampaign(
  { sql }: { sql: Sql },
  { campaignId }: { campaignId: string },
): Promise<CampaignRow> {
  const [row] = await sql<CampaignRow[]>`
    select ${campaignColumns(sql)} from outbound.campaigns as g ${
    campaignState(sql)
  } where g.id = ${campaignId}`;
  if (!row) throw new CommandError("not_found", `No campaign with id ${campaignId}`);
  return row;
}
