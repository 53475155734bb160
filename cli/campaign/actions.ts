import {
  checkCounters,
  type CounterCheck,
  readCampaignSummary,
} from "../../supabase/functions/_shared/db/campaigns/campaigns.ts";
import type { Sql } from "../../supabase/functions/_shared/db/driver/connect.ts";
import { CommandError } from "../errors/command_error.ts";

/**
 * Returns the id of a campaign's company.
 *
 * @throws {CommandError} `not_found`
 */
export async function companyOf(sql: Sql, campaignId: string): Promise<string> {
  const campaign = await readCampaignSummary(sql, { campaignId });
  if (!campaign) throw new CommandError("not_found", `No campaign with id ${campaignId}`);
  return campaign.company_id;
}

/**
 * Counts a campaign's notifications and compares them with its counters; `ok` when all agree and every notification is
 * pending, processing, sent, failed, cancelled or skipped.
 *
 * @throws {CommandError} `not_found`
 */
export async function verifyCampaign(
  { sql }: { sql: Sql },
  { campaignId }: { campaignId: string },
): Promise<{ campaignId: string; ok: boolean; counters: CounterCheck[] }> {
  const counters = await checkCounters(sql, { companyId: await companyOf(sql, campaignId), campaignId });
  const actual = (name: string) => counters.find((row) => row.counter === name)?.actual ?? 0;
  const parts = ["pending", "processing", "sent", "failed", "cancelled", "skipped"].map(actual);
  const conserved = actual("total") === parts.reduce((sum, part) => sum + part, 0);
  return { campaignId, ok: conserved && counters.every((row) => row.stored === row.actual), counters };
}
