import type { Actor } from "../access/audit.ts";
import type { CampaignRow } from "./campaigns.ts";
import type { Sql } from "../driver/connect.ts";

export interface CampaignIds {
  companyId: string;
  campaignId: string;
}

/** The facts that decide whether a request may read a campaign. */
export interface CampaignAccess extends Pick<CampaignRow, "channel"> {
  sender_id: string;
  /** Since when messages of it are in the archive. */
  archived_at: Date | null;
}

/** Returns the facts that decide whether a request may read a company's campaign. */
export async function readCampaignAccess(
  sql: Sql,
  { companyId, campaignId }: CampaignIds,
): Promise<CampaignAccess | undefined> {
  const [row] = await sql<CampaignAccess[]>`
    select g.channel, g.sender_id, (
      select min(a.archived_at) from outbound.archived_campaigns as a
      where a.company_id = g.company_id and a.campaign_id = g.id
    ) as archived_at
    from outbound.campaigns as g where g.company_id = ${companyId} and g.id = ${campaignId}`;
  return row;
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

/** Whether a campaign was held before anything of it left: while it was still `scheduled`. */
export interface HeldCampaign {
  outcome: "scheduled" | "open" | "started";
  status: CampaignRow["status"];
}

/**
 * Pauses a campaign that is scheduled, so that nothing of it leaves from here on. One that has started goes on as before,
 * also if it did between the look and the pause: then it was not paused before.
 */
export async function holdScheduled(sql: Sql, ids: CampaignIds, by: Actor): Promise<HeldCampaign> {
  const before = await readSchedule(sql, ids);
  if (before.outcome !== "scheduled") return before;
  await pauseCampaign(sql, ids, by);
  const after = await readSchedule(sql, ids);
  if (after.outcome !== "scheduled") await resumeCampaign(sql, ids, by);
  return after;
}

async function readSchedule(sql: Sql, { companyId, campaignId }: CampaignIds): Promise<HeldCampaign> {
  const [row] = await sql<HeldCampaign[]>`
    select outbound.campaign_status(g) as status, outbound.schedule_state(g) as outcome
    from outbound.campaigns as g where g.company_id = ${companyId} and g.id = ${campaignId}`;
  return row!;
}

/** How a move of a campaign went; `begun` where it was carried out. */
export interface MovedCampaign extends ControlledCampaign {
  outcome: "begun" | "unchanged" | "open" | "started";
  scheduled_time: Date | null;
}

/**
 * Gives what waits of a campaign that has not started another time. Nothing of it leaves meanwhile. A move that another
 * request has begun is finished first.
 */
export async function moveCampaign(
  sql: Sql,
  ids: CampaignIds,
  { to, timezone }: { to: Date; timezone: string | null },
  by: Actor,
): Promise<MovedCampaign> {
  for (;;) {
    const [begun] = await sql<{ outcome: MovedCampaign["outcome"] | "moving" }[]>`
      select outcome from outbound.move_campaign(${ids.companyId}, ${ids.campaignId}, ${to.toISOString()}, ${timezone},
        ${by.actor}, ${by.requestId ?? null})`;
    const { outcome } = begun!;
    const changed = outcome === "begun" || outcome === "moving" ? await moveNotifications(sql, ids) : 0;
    if (outcome === "moving") continue;
    const [row] = await sql<{ scheduled_time: Date | null; in_flight: number }[]>`
      select scheduled_time, processing as in_flight from outbound.campaigns
      where company_id = ${ids.companyId} and id = ${ids.campaignId}`;
    const { scheduled_time, in_flight } = row!;
    return { ...await controlled(sql, ids, { changed, in_flight }), outcome, scheduled_time };
  }
}

/** Moves the notifications of a campaign whose move is not over, some thousand at a time. Returns how many. */
async function moveNotifications(sql: Sql, { companyId, campaignId }: CampaignIds): Promise<number> {
  for (let moved = 0;;) {
    const [step] = await sql<{ moved: number; is_over: boolean }[]>`
      select moved, is_over from outbound.move_notifications(${companyId}, ${campaignId})`;
    moved += step!.moved;
    if (step!.is_over) return moved;
  }
}

/** Continues cancellations, pauses and moves whose process died half-way. */
export async function continueStopping(sql: Sql): Promise<void> {
  while (true) {
    const [abandoned] = await sql<
      { company_id: string; campaign_id: string; cancelled: boolean; moving: boolean }[]
    >`
      update outbound.campaigns as g set stopping_at = now()
      from (
        select company_id, id from outbound.campaigns where stopping_at < now() - interval '10 seconds'
        order by stopping_at limit 1 for no key update skip locked
      ) as stopping
      where g.company_id = stopping.company_id and g.id = stopping.id
      returning g.company_id, g.id as campaign_id, g.cancelled_at is not null as cancelled,
        exists (
          select from outbound.campaign_moves as m where m.company_id = g.company_id and m.campaign_id = g.id
        ) as moving`;
    if (abandoned === undefined) return;
    const ids = { companyId: abandoned.company_id, campaignId: abandoned.campaign_id };
    if (abandoned.moving && !abandoned.cancelled) await moveNotifications(sql, ids);
    else await (abandoned.cancelled ? cancelFrom : pauseFrom)(sql, ids, { after: BEFORE_ALL });
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
