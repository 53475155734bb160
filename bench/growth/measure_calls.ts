import { v7 as uuidv7 } from "uuid";
import { hashAccessKey } from "../../supabase/functions/_shared/access/new_keys.ts";
import {
  acceptNotifications,
  type AcceptRequest,
} from "../../supabase/functions/_shared/db/accept_notifications.ts";
import { readCampaign } from "../../supabase/functions/_shared/db/campaigns.ts";
import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import {
  type ClaimedNotification,
  claimNotifications,
  type FinishedNotification,
  finishNotifications,
  tick,
} from "../../supabase/functions/_shared/db/dispatch_queue.ts";
import {
  applyProviderEvents,
  type ProviderEvent,
  storeProviderEvents,
} from "../../supabase/functions/_shared/db/provider_events.ts";
import { readRecipients } from "../../supabase/functions/_shared/db/recipients.ts";
import { median } from "../setup/median.ts";
import { fillCampaign, type Tenant } from "../setup/tenants.ts";
import type { Cost, ExplainedConnection } from "./explained.ts";
import type { GrowthCost } from "./growth_step.ts";

/** Messages per batch, as a busy dispatcher claims and records them. */
const BATCH = 500;
/** Requests per batch, as 32 connections have them waiting. */
const REQUESTS = 32;
const WORKER = "bench";
/** The first calls of a connection make its plans. */
const WARM_UP = 2;

interface Load {
  /** Whose messages are sent. */
  tenant: Tenant;
  rounds: number;
}

/**
 * Takes messages through their whole life, round after round, by the very calls the service makes; answers the median
 * cost of each step.
 */
export async function measureCalls(
  { sql, run }: ExplainedConnection,
  { tenant, rounds }: Load,
): Promise<GrowthCost[]> {
  const costs = new Map<string, Cost[]>();
  const timed = async <T>(work: string, count: number, call: (sql: Sql) => Promise<T>): Promise<T> => {
    const { result, cost } = await run(call);
    const known = costs.get(work) ?? [];
    costs.set(work, [...known, { us: cost.us / count, pages: cost.pages / count }]);
    return result;
  };
  const asked = await someCampaigns(sql, rounds + WARM_UP);
  for (let round = 0; round < rounds + WARM_UP; round++) {
    const requests = await acceptRequests(sql, tenant);
    await timed("intake, a request", REQUESTS, (sql) => acceptNotifications(sql, requests));
    await fillCampaign(sql, tenant, { count: BATCH, status: "scheduled" });
    await timed("tick, a message that is due", BATCH, (sql) => tick(sql, { windowS: 120 }));
    await timed("tick, nothing due", 1, (sql) => tick(sql, { windowS: 120 }));
    const claimed = await timed(
      "claim, a message",
      BATCH,
      (sql) => claimNotifications(sql, { worker: WORKER, limit: BATCH, leaseS: 60 }),
    );
    if (claimed.length !== BATCH) throw new Error(`${claimed.length} of ${BATCH} messages were claimed`);
    const results = claimed.map(sent);
    await timed(
      "finish, a message",
      BATCH,
      (sql) => finishNotifications(sql, { worker: WORKER, results, windowS: 120 }),
    );
    const events = results.map(delivered);
    await timed("events, each", BATCH, async (sql) => {
      await storeProviderEvents(sql, events);
      await applyProviderEvents(sql, BATCH);
    });
    const { company_id: companyId, id: campaignId, key_hash: keyHash } = asked[round % asked.length]!;
    await timed("status, a call", 1, (sql) => readCampaign(sql, { keyHash, campaignId }));
    await timed(
      "recipients, each",
      750,
      (sql) => Array.fromAsync(readRecipients(sql, { companyId, campaignId })),
    );
  }
  return [...costs].map(([work, rounds]) => {
    const counted = rounds.slice(WARM_UP);
    return {
      work,
      us: median(counted.map(({ us }) => us)),
      pages: median(counted.map(({ pages }) => pages)),
    };
  });
}

async function acceptRequests(sql: Sql, { key, sender, template }: Tenant): Promise<AcceptRequest[]> {
  const [stored] = await sql<
    { shape: string }[]
  >`select shape from outbound.templates where id = ${template.id}`;
  return Array.from({ length: REQUESTS }, (_, index) => ({
    key_hash: hashAccessKey(key.key),
    permission: "chatapp_notifications",
    ttl_s: 86_400,
    campaign: {
      id: uuidv7(),
      channel: "whatsapp",
      name: "Bench",
      notification_type: "utility",
      sender_id: sender.id,
      template_id: template.id,
      template_name: template.name,
      template_language: template.language,
      template_shape: stored!.shape,
      agent_id: null,
      name_event: null,
      scheduled_time: new Date(Date.now() + 300 * 86_400_000).toISOString(),
      rejected: 0,
    },
    notifications: [{
      id: uuidv7(),
      number: String(34600000000 + index),
      message: [{
        type: "body",
        parameters: [{ type: "text", text: "Ana" }, { type: "text", text: "A-1001" }],
      }],
    }],
    idempotency: null,
  }));
}

function sent({ company_id, id, fence, attempt }: ClaimedNotification): FinishedNotification {
  return {
    company_id,
    id,
    fence,
    attempt,
    started_at: new Date().toISOString(),
    outcome: "sent",
    http_status: 200,
    error_code: null,
    reason: null,
    provider_message_id: `wamid.${crypto.randomUUID()}`,
    retry_in_s: null,
  };
}

function delivered({ company_id, id, fence, provider_message_id }: FinishedNotification): ProviderEvent {
  return {
    dedupe_key: `whatsapp:${provider_message_id}:delivered`,
    channel: "whatsapp",
    account_id: "100000000000000",
    provider_message_id,
    company_id,
    notification_id: id,
    fence,
    status: "delivered",
    occurred_at: new Date().toISOString(),
    error_code: null,
    retryable: false,
    reason: null,
  };
}

/** Campaigns of 750 from anywhere in the history, with the hash of a key that may ask for them. */
async function someCampaigns(sql: Sql, count: number) {
  return await sql<{ company_id: string; id: string; key_hash: string }[]>`
    select g.company_id, g.id, k.key_hash from outbound.campaigns as g
    join outbound.api_keys as k on k.company_id = g.company_id and k.id = g.api_key_id
    where g.total = 750 order by random() limit ${count}`;
}
