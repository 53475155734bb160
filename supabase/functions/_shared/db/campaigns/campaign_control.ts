import type { Actor } from "../access/audit.ts";
import type { CampaignRow } from "./campaigns.ts";
import type { Sql } from "../driver/connect.ts";

export interface CampaignIds {
  companyId: string;
  campaignId: string;
}

/** Returns the channel of a company's campaign. */
export async function readCampaignChannel(
  sql: Sql,
  { companyId, campaignId }: CampaignIds,
): Promise<CampaignRow["channel"] | undefined> {
  const [row] = await sql<Pick<CampaignRow, "channel">[]>`
    select channel from outbound.campaigns where company_id = ${companyId} and id = ${campaignId}`;
  return row?.channel;
}

export interface ControlledCampaign {
  status: CampaignRow["status"];
  /** How many notifications were cancelled, held or released. */
  changed: number;
  /** How many a dispatcher had claimed already: they may still be sent. */
  in_flight: number;
}

type Counts = Omit<ControlledCampaign, "status">;

/** Cancels the notifications that no dispatcher has claimed; from its first step on only `inFlight` may be sent. */
export async function cancelCampaign(sql: Sql, ids: CampaignIds, by: Actor): Promise<ControlledCampaign> {
  return await controlled(sql, ids, await cancelFrom(sql, ids, { after: null, by }));
}

/** Holds the notifications that no dispatcher has claimed; from its first step on only `inFlight` may be sent. */
export async function pauseCampaign(sql: Sql, ids: CampaignIds, by: Actor): Promise<ControlledCampaign> {
  return await controlled(sql, ids, await pauseFrom(sql, ids, { after: null, by }));
}

/** Continues cancellations and pauses whose process died half-way. */
export async function continueStopping(sql: Sql): Promise<void> {
  while (true) {
    const [abandoned] = await sql<{ company_id: string; campaign_id: string; cancelled: boolean }[]>`
      update outbound.campaigns as g set stopping_at = now()
      from (
        select company_id, id from outbound.campaigns where stopping_at < now() - interval '10 seconds'
        order by stopping_at limit 1 for no key update skip locked
      ) as stopping
      where g.company_id = stopping.company_id and g.id = stopping.id
      returning g.company_id, g.id as campaign_id, g.cancelled_at is not null as cancelled`;
    if (abandoned === undefined) return;
    await (abandoned.cancelled ? cancelFrom : pauseFrom)(
      sql,
      { companyId: abandoned.company_id, campaignId: abandoned.campaign_id },
      { after: BEFORE_ALL },
    );
  }
}

/** Skips the first step, which would pause a campaign again that was resumed meanwhile. */
const BEFORE_ALL = "00000000-0000-0000-0000-000000000000";

/** Where to begin, and who is written into the audit if the first step changes anything. */
interface Start {
  after: string | null;
  by?: Actor;
}

async function cancelFrom(
  sql: Sql,
  { companyId, campaignId }: CampaignIds,
  { after, by }: Start,
): Promise<Counts> {
  return await stepByStep(after, (from) =>
    sql<Step[]>`
      select cancelled as changed, in_flight, last_id
      from outbound.cancel_campaign(${companyId}, ${campaignId}, ${from},
        p_actor => ${by?.actor ?? null}, p_request_id => ${by?.requestId ?? null})`);
}

async function pauseFrom(
  sql: Sql,
  { companyId, campaignId }: CampaignIds,
  { after, by }: Start,
): Promise<Counts> {
  return await stepByStep(after, (from) =>
    sql<Step[]>`
      select paused as changed, in_flight, last_id
      from outbound.pause_campaign(${companyId}, ${campaignId}, ${from},
        p_actor => ${by?.actor ?? null}, p_request_id => ${by?.requestId ?? null})`);
}

interface Step extends Counts {
  /** Where the next step begins; null after the last one. */
  last_id: string | null;
}

/** Stops a large campaign some thousand notifications at a time, so that the sender's other campaigns go on meanwhile. */
async function stepByStep(
  after: string | null,
  step: (after: string | null) => Promise<Step[]>,
): Promise<Counts> {
  let changed = 0;
  for (let from = after;;) {
    const [done] = await step(from);
    changed += done!.changed;
    if (done!.last_id === null) return { changed, in_flight: done!.in_flight };
    from = done!.last_id;
  }
}

/** Releases what a pause holds: at once when its time has passed, otherwise at its time. */
export async function resumeCampaign(sql: Sql, ids: CampaignIds, by: Actor): Promise<ControlledCampaign> {
  const [row] = await sql<Counts[]>`
    select resumed as changed, in_flight
    from outbound.resume_campaign(${ids.companyId}, ${ids.campaignId}, ${by.actor}, ${by.requestId ?? null})`;
  return await controlled(sql, ids, row!);
}

/** Reads the status in its own statement, which sees the changes of the one before. */
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
