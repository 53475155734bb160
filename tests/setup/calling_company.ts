import assert from "node:assert/strict";
import type postgres from "postgres";
import { hashAccessKey } from "../../supabase/functions/_shared/access/new_keys.ts";
import { acceptNotifications } from "../../supabase/functions/_shared/db/queue/accept_notifications.ts";
import type { CallFacts, PlatformEvent } from "../../supabase/functions/_shared/db/queue/platform_events.ts";
import {
  type AgentFixture,
  insertAgent,
  insertCompany,
  insertKey,
  insertVoiceSender,
  type KeyFixture,
  type SenderFixture,
  type SenderOverrides,
} from "./fixtures.ts";
import { eventOf, type Queued } from "./queue.ts";

/** A company that can call: its key, a voice sender and an agent. */
export interface CallingCompany {
  id: string;
  key: KeyFixture;
  sender: SenderFixture;
  agent: AgentFixture;
}

export async function insertCallingCompany(
  sql: postgres.Sql,
  sender: SenderOverrides = {},
): Promise<CallingCompany> {
  const { id } = await insertCompany(sql);
  return {
    id,
    key: await insertKey(sql, id, { rate_limit: 1_000_000, daily_quota: 1_000_000 }),
    sender: await insertVoiceSender(sql, id, sender),
    agent: await insertAgent(sql, id),
  };
}

export interface CallsOverrides {
  count?: number;
  /** Whom to call, instead of `count` numbers from 34600000000 on. */
  numbers?: string[];
  ttlS?: number;
  /** From now. */
  dueInS?: number;
  timezone?: string;
}

/** The number of the nth call that `enqueueCalls` queues, from 0: none whose ending means something to the sandbox. */
export function calledNumber(index: number): string {
  return String(34_600_000_000 + index * 10_000);
}

/** Puts calls in the queue the way the API does, and fails unless they were accepted. */
export async function enqueueCalls(
  sql: postgres.Sql,
  { key, sender, agent }: CallingCompany,
  overrides: CallsOverrides = {},
): Promise<Queued> {
  const { count = 1, ttlS = 86_400, dueInS, timezone } = overrides;
  const numbers = overrides.numbers ?? Array.from({ length: count }, (_, index) => calledNumber(index));
  const campaignId = crypto.randomUUID();
  const notifications = numbers.map((number) => ({
    id: crypto.randomUUID(),
    number,
    message: { agent_id: agent.platform_agent_id, dynamic_variables: { name: "Ana" } },
  }));
  const [verdict] = await acceptNotifications(sql, [{
    key_hash: hashAccessKey(key.key),
    permission: "voice_notifications",
    ttl_s: ttlS,
    campaign: {
      id: campaignId,
      channel: "voice",
      name: "Calls",
      notification_type: "transactional",
      sender_id: sender.id,
      template_id: null,
      template_name: null,
      template_language: null,
      template_shape: null,
      agent_id: agent.id,
      name_event: null,
      scheduled_time: dueInS === undefined ? null : new Date(Date.now() + dueInS * 1000).toISOString(),
      timezone: timezone ?? null,
      rejected: 0,
    },
    notifications,
    idempotency: null,
  }]);
  assert.equal(verdict?.outcome, "accepted");
  return { campaignId, ids: notifications.map(({ id }) => id) };
}

/** An event that the platform reports about an accepted call, under the id that `finish` gave it. */
export function callEventOf(
  companyId: string,
  notificationId: string,
  outcome: NonNullable<CallFacts["outcome"]>,
  overrides: Partial<PlatformEvent> = {},
): PlatformEvent {
  const reached = outcome === "answered" || outcome === "voicemail";
  const event = eventOf(companyId, notificationId, reached ? "delivered" : "failed", {
    channel: "voice",
    error_code: reached ? null : outcome,
    call: {
      outcome,
      duration_s: reached ? 42 : null,
      summary: reached ? "It went well." : null,
      transcript: reached ? [{ role: "agent", message: "Hello", at_s: 0 }] : null,
      ended_at: new Date().toISOString(),
    },
    ...overrides,
  });
  return { ...event, dedupe_key: `voice:${event.platform_message_id}:${event.status}:${outcome}` };
}

/** How many calls of a sender are going on, as the queue sees it. */
export async function goingOn(sql: postgres.Sql, senderId: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int from outbound.notifications
    where sender_id = ${senderId} and status in ('sending', 'unconfirmed', 'sent')`;
  return row!.count;
}
