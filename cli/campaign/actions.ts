import { refuseArchived } from "../../supabase/functions/_shared/archive/refuse_archived.ts";
import { CLI } from "../../supabase/functions/_shared/db/access/audit.ts";
import {
  type CampaignIds,
  cancelCampaign as cancelInDatabase,
  type ControlledCampaign,
  pauseCampaign as pauseInDatabase,
  resumeCampaign as resumeInDatabase,
} from "../../supabase/functions/_shared/db/campaigns/campaign_control.ts";
import {
  type CampaignSummary,
  checkCounters,
  type CounterCheck,
  readCampaigns,
  readCampaignSummary,
} from "../../supabase/functions/_shared/db/campaigns/campaigns.ts";
import type { Sql } from "../../supabase/functions/_shared/db/driver/connect.ts";
import {
  type NotificationStatus,
  readMetadataKeys,
  readRecipients,
  type RecipientRow,
} from "../../supabase/functions/_shared/db/campaigns/recipients.ts";
import { type CampaignCost, campaignCost } from "../../supabase/functions/_shared/pricing/campaign_cost.ts";
import { asCommand } from "../contact/refusals.ts";
import { CommandError } from "../errors/command_error.ts";
import { requireCompanies } from "../errors/refusals.ts";

/**
 * Returns the latest campaigns of one company, or of all, newest first.
 *
 * @throws {CommandError} `not_found`
 */
export async function listCampaigns(
  { sql }: { sql: Sql },
  { companyId, limit = 20 }: { companyId?: string | undefined; limit?: number | undefined } = {},
): Promise<CampaignSummary[]> {
  if (companyId) await requireCompanies(sql, companyId);
  return await readCampaigns(sql, { companyId, limit });
}

/**
 * Returns one campaign, by the `inquiry_set_id` that the request for it returned.
 *
 * @throws {CommandError} `not_found`
 */
export async function showCampaign(
  { sql }: { sql: Sql },
  { campaignId }: { campaignId: string },
): Promise<CampaignSummary> {
  const campaign = await readCampaignSummary(sql, { campaignId });
  if (!campaign) throw new CommandError("not_found", `No campaign with id ${campaignId}`);
  return campaign;
}

/**
 * Returns how the platform priced a campaign's delivered messages, and what they cost by the rate card.
 *
 * @throws {CommandError} `not_found`
 */
export async function priceCampaign(
  { sql }: { sql: Sql },
  { campaignId }: { campaignId: string },
): Promise<CampaignCost> {
  const { company_id: companyId, created_at: createdAt, scheduled_time: scheduledTime } = await showCampaign({
    sql,
  }, { campaignId });
  const day = (scheduledTime ?? createdAt).toISOString().slice(0, 10);
  return await campaignCost(sql, { companyId, campaignId, day });
}

/** A campaign's status after a command, and how many notifications a dispatcher had claimed already. */
type Controlled = { campaignId: string; status: ControlledCampaign["status"]; inFlight: number };

/**
 * Cancels the notifications of a campaign that no dispatcher has claimed.
 *
 * @throws {CommandError} `not_found`
 */
export async function cancelCampaign(
  { sql }: { sql: Sql },
  { campaignId }: { campaignId: string },
): Promise<Controlled & { cancelled: number }> {
  const { status, changed, in_flight: inFlight } = await cancelInDatabase(
    sql,
    await idsOf(sql, campaignId),
    CLI,
  );
  return { campaignId, status, cancelled: changed, inFlight };
}

/**
 * Holds the notifications of a campaign that no dispatcher has claimed, until it is resumed.
 *
 * @throws {CommandError} `not_found`
 */
export async function pauseCampaign(
  { sql }: { sql: Sql },
  { campaignId }: { campaignId: string },
): Promise<Controlled & { paused: number }> {
  const { status, changed, in_flight: inFlight } = await pauseInDatabase(
    sql,
    await idsOf(sql, campaignId),
    CLI,
  );
  return { campaignId, status, paused: changed, inFlight };
}

/**
 * Releases what a pause holds: at once when its time has passed, otherwise at its time.
 *
 * @throws {CommandError} `not_found`
 */
export async function resumeCampaign(
  { sql }: { sql: Sql },
  { campaignId }: { campaignId: string },
): Promise<Controlled & { resumed: number }> {
  const { status, changed, in_flight: inFlight } = await resumeInDatabase(
    sql,
    await idsOf(sql, campaignId),
    CLI,
  );
  return { campaignId, status, resumed: changed, inFlight };
}

async function idsOf(sql: Sql, campaignId: string): Promise<CampaignIds> {
  const { company_id: companyId } = await showCampaign({ sql }, { campaignId });
  return { companyId, campaignId };
}

/**
 * Opens the list of a campaign's notifications, or of those in one state, page by page. `metadataKeys` get columns of
 * their own in a file.
 *
 * @throws {CommandError} `not_found`
 */
export async function openRecipients(
  { sql }: { sql: Sql },
  { campaignId, status }: { campaignId: string; status?: NotificationStatus | undefined },
): Promise<{ pages: AsyncIterable<RecipientRow[]>; metadataKeys: string[] }> {
  const ids = await idsOf(sql, campaignId);
  await asCommand(() => refuseArchived(sql, ids));
  return { pages: readRecipients(sql, { ...ids, status }), metadataKeys: await readMetadataKeys(sql, ids) };
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
  const counters = await checkCounters(sql, await idsOf(sql, campaignId));
  const actual = (name: string) => counters.find((row) => row.counter === name)?.actual ?? 0;
  const parts = ["pending", "processing", "sent", "failed", "cancelled", "skipped"].map(actual);
  const conserved = actual("total") === parts.reduce((sum, part) => sum + part, 0);
  return { campaignId, ok: conserved && counters.every((row) => row.stored === row.actual), counters };
}
