import assert from "node:assert/strict";
import type postgres from "postgres";
import { hashAccessKey } from "../../supabase/functions/_shared/access/new_keys.ts";
import {
  acceptNotifications,
  type AcceptRequest,
} from "../../supabase/functions/_shared/db/queue/accept_notifications.ts";
import { claimNotifications } from "../../supabase/functions/_shared/db/queue/dispatch_queue.ts";
import type { TestStack } from "../setup/stack/stack.ts";

export interface Paused {
  paused: number;
  in_flight: number | null;
}

export async function pause(sql: postgres.Sql, companyId: string, campaignId: string): Promise<Paused> {
  const [row] = await sql<Paused[]>`
    select paused, in_flight from outbound.pause_campaign(${companyId}, ${campaignId})`;
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

/** Returns how many notifications of a campaign are held. */
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

/** Has a campaign of the stack's company accepted that its platform will take, to as many different numbers. */
export async function acceptOnStack(
  { sql, key, sender, template }: Pick<TestStack, "sql" | "key" | "sender" | "template">,
  count: number,
): Promise<{ campaignId: string; ids: string[] }> {
  const [shape] = await sql<
    { shape: string }[]
  >`select shape from outbound.templates where id = ${template.id}`;
  const texts = ["Ana", "A-17"].map((text) => ({ type: "text", text }));
  const request: AcceptRequest = {
    key_hash: hashAccessKey(key.key),
    permission: "chatapp_notifications",
    ttl_s: 86_400,
    campaign: {
      id: crypto.randomUUID(),
      channel: "whatsapp",
      name: "A campaign",
      notification_type: "marketing",
      sender_id: sender.id,
      template_id: template.id,
      template_name: template.name,
      template_language: template.language,
      template_shape: shape!.shape,
      agent_id: null,
      name_event: null,
      scheduled_time: null,
      rejected: 0,
    },
    notifications: Array.from({ length: count }, (_, index) => ({
      id: crypto.randomUUID(),
      number: String(59_171_000_000 + index),
      message: [{ type: "body", parameters: texts }],
    })),
    idempotency: null,
  };
  const [verdict] = await acceptNotifications(sql, [request]);
  assert.equal(verdict?.outcome, "accepted");
  return { campaignId: request.campaign.id, ids: request.notifications.map(({ id }) => id) };
}
