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
  /** Why nothing of it leaves; null unless `status` is paused. */
  paused_reason: "sender_stopped" | "template_not_approved" | "operator" | null;
  /** The same, in words for people. */
  paused_detail: string | null;
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
    select k.company_id as key_company_id, g.id is not null as found, g.*, state.*
    from outbound.api_keys as k
    left join outbound.campaigns as g on g.company_id = k.company_id and g.id = ${query.campaignId}
    left join lateral outbound.campaign_state(g) as state on true
    where k.key_hash = ${query.keyHash} and k.is_active`;
  return row && { company_id: row.key_company_id, campaign: row.found ? row : null };
}
