import assert from "node:assert/strict";
import type postgres from "postgres";
import { claimNotifications } from "../../supabase/functions/_shared/db/dispatch_queue.ts";

export interface Paused {
  paused: number;
  in_flight: number | null;
}

export async function pause(sql: postgres.Sql, companyId: string, campaignId: string): Promise<Paused> {
  const [row] = await sql<Paused[]>`select * from outbound.pause_campaign(${companyId}, ${campaignId})`;
  return row!;
}

export interface Resumed {
  resumed: number;
  in_flight: number | null;
}

export async function resume(sql: postgres.Sql, companyId: string, campaignId: string): Promise<Resumed> {
  const [row] = await sql<Resumed[]>`select * from outbound.resume_campaign(${companyId}, ${campaignId})`;
  return row!;
}

export async function campaignStatus(sql: postgres.Sql, campaignId: string): Promise<string> {
  const [row] = await sql<{ status: string }[]>`
    select outbound.campaign_status(g) as status from outbound.campaigns as g where id = ${campaignId}`;
  return row!.status;
}

/** How many notifications of a campaign are held. */
export async function heldOf(sql: postgres.Sql, campaignId: string): Promise<number> {
  const [row] = await sql<{ held: number }[]>`
    select count(*)::int as held from outbound.notifications
    where campaign_id = ${campaignId} and held_run_at is not null`;
  return row!.held;
}

/** Fails when there is anything to claim. */
export async function assertNothingLeaves(sql: postgres.Sql): Promise<void> {
  assert.deepEqual([...await claimNotifications(sql, { worker: "watcher", limit: 10, leaseS: 60 })], []);
}
