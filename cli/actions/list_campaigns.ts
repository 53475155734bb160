import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import { campaignColumns, type CampaignRow, campaignState } from "./campaign_row.ts";
import { refuseUnlessCompany } from "./refuse_unless_company.ts";

/**
 * The latest campaigns of one company, or of all, newest first.
 *
 * @throws {CommandError} `not_found`
 */
export async function listCampaigns(
  { sql }: { sql: Sql },
  { companyId, limit = 20 }: { companyId?: string | undefined; limit?: number | undefined } = {},
): Promise<CampaignRow[]> {
  if (companyId) await refuseUnlessCompany(sql, companyId);
  return await sql<CampaignRow[]>`
    select ${campaignColumns(sql)} from outbound.campaigns as g ${campaignState(sql)}
    ${companyId ? sql`where g.company_id = ${companyId}` : sql``}
    order by g.created_at desc, g.id desc limit ${limit}`;
}
