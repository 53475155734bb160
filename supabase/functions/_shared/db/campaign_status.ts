import type { Sql } from "./connect.ts";

/** A campaign's counters and times, as stored. */
export interface CampaignRow {
  id: string;
  name: string;
  channel: "whatsapp" | "voice";
  notification_type: string;
  status: "scheduled" | "sending" | "paused" | "completed" | "cancelled";
  total: number;
  pending: number;
  processing: number;
  sent: number;
  delivered: number;
  read: number;
  failed: number;
  cancelled: number;
  rejected: number;
  created_at: Date;
  scheduled_time: Date | null;
  started_at: Date | null;
  completed_at: Date | null;
  /** Its template is not approved: what waits is held until it is, whether or not it is paused as well. */
  held_reason: string | null;
}

export interface CampaignLookup {
  company_id: string;
  /** Null when it is not a campaign of the key's company. */
  campaign: CampaignRow | null;
}

/**
 * Finds a campaign by id for the holder of a key, in one round trip and without counting anything.
 * Undefined when the key is not good.
 */
export async function readCampaign(
  sql: Sql,
  query: { keyHash: string; campaignId: string | null },
): Promise<CampaignLookup | undefined> {
  const [row] = await sql<(CampaignRow & { key_company_id: string; found: boolean })[]>`
    select k.company_id as key_company_id, g.id is not null as found, g.*, outbound.campaign_status(g) as status
    from outbound.api_keys as k
    left join outbound.campaigns as g on g.company_id = k.company_id and g.id = ${query.campaignId}
    where k.key_hash = ${query.keyHash} and k.is_active`;
  return row && { company_id: row.key_company_id, campaign: row.found ? row : null };
}
