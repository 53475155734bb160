import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import { showCampaign } from "./show_campaign.ts";

export interface CounterCheck {
  counter: string;
  stored: number;
  /** Counted from the campaign's notifications. */
  actual: number;
}

/**
 * Counts a campaign's notifications and compares with its counters; `ok` when all agree and every
 * notification is pending, processing, sent, failed or cancelled.
 *
 * @throws {CommandError} `not_found`
 */
export async function verifyCampaign(
  { sql }: { sql: Sql },
  { campaignId }: { campaignId: string },
): Promise<{ campaignId: string; ok: boolean; counters: CounterCheck[] }> {
  const { companyId } = await showCampaign({ sql }, { campaignId });
  const rows = await sql<CounterCheck[]>`
    select counter, stored, actual from outbound.verify_campaign(${companyId}, ${campaignId})`;
  const counters = rows.map((row) => ({ ...row }));
  const actual = (name: string) => counters.find((row) => row.counter === name)?.actual ?? 0;
  const parts = ["pending", "processing", "sent", "failed", "cancelled"].map(actual);
  const conserved = actual("total") === parts.reduce((sum, part) => sum + part, 0);
  return { campaignId, ok: conserved && counters.every((row) => row.stored === row.actual), counters };
}
