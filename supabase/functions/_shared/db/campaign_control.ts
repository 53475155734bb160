import type { CampaignRow } from "./campaign_status.ts";
import type { Sql } from "./connect.ts";
import type { KeyState } from "./send_context.ts";

export interface CampaignForKey extends KeyState {
  /** Null when it is not a campaign of the key's company. */
  campaign_id: string | null;
  channel: CampaignRow["channel"] | null;
}

/** Looks for a campaign for the holder of a key, in one round trip. Counts a request. */
export async function findCampaign(
  sql: Sql,
  query: { keyHash: string; campaignId: string | null },
): Promise<CampaignForKey> {
  const [row] = await sql<CampaignForKey[]>`
    with key as materialized (select * from outbound.use_access_key(${query.keyHash}))
    select key.*, g.id as campaign_id, g.channel
    from key left join outbound.campaigns as g on g.company_id = key.company_id and g.id = ${query.campaignId}`;
  return row!;
}

export interface CampaignIds {
  companyId: string;
  campaignId: string;
}

export interface ControlledCampaign {
  status: CampaignRow["status"];
  /** How many notifications were cancelled, held or released. */
  changed: number;
  /** How many a dispatcher had already: they may still go out. */
  inFlight: number;
}

type Counts = Omit<ControlledCampaign, "status">;

/** Stops what has not left yet, for good. */
export async function cancelCampaign(sql: Sql, ids: CampaignIds): Promise<ControlledCampaign> {
  const [row] = await sql<Counts[]>`
    select cancelled as changed, in_flight as "inFlight"
    from outbound.cancel_campaign(${ids.companyId}, ${ids.campaignId})`;
  return await controlled(sql, ids, row!);
}

/** Holds what has not left yet; nothing but `inFlight` leaves from then on. */
export async function pauseCampaign(sql: Sql, ids: CampaignIds): Promise<ControlledCampaign> {
  const [row] = await sql<Counts[]>`
    select paused as changed, in_flight as "inFlight"
    from outbound.pause_campaign(${ids.companyId}, ${ids.campaignId})`;
  return await controlled(sql, ids, row!);
}

/** Lets go what a pause held: at once when its time has passed, otherwise at its time. */
export async function resumeCampaign(sql: Sql, ids: CampaignIds): Promise<ControlledCampaign> {
  const [row] = await sql<Counts[]>`
    select resumed as changed, in_flight as "inFlight"
    from outbound.resume_campaign(${ids.companyId}, ${ids.campaignId})`;
  return await controlled(sql, ids, row!);
}

/** The status is read by a statement of its own, which sees what the one before changed. */
async function controlled(
  sql: Sql,
  { companyId, campaignId }: CampaignIds,
  counts: Counts,
): Promise<ControlledCampaign> {
  const [row] = await sql<Pick<CampaignRow, "status">[]>`
    select outbound.campaign_status(g) as status from outbound.campaigns as g
    where g.company_id = ${companyId} and g.id = ${campaignId}`;
  return { ...row!, ...counts };
}
