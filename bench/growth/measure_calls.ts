import { acceptNotifications } from "../../supabase/functions/_shared/db/queue/accept_notifications.ts";
import { readCampaign } from "../../supabase/functions/_shared/db/campaigns/campaigns.ts";
import type { Sql } from "../../supabase/functions/_shared/db/driver/connect.ts";
import {
  claimNotifications,
  finishNotifications,
  tick,
} from "../../supabase/functions/_shared/db/queue/dispatch_queue.ts";
import {
  applyPlatformEvents,
  storePlatformEvents,
} from "../../supabase/functions/_shared/db/queue/platform_events.ts";
import { readRecipients } from "../../supabase/functions/_shared/db/campaigns/recipients.ts";
import { median } from "../setup/median.ts";
import { planRequests, receipt, sentResult } from "../setup/message_life.ts";
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
    const scheduledTime = new Date(Date.now() + 300 * 86_400_000).toISOString();
    const requests = await planRequests(sql, tenant, { count: REQUESTS, scheduledTime });
    await timed("intake, a request", REQUESTS, (sql) => acceptNotifications(sql, requests));
    await fillCampaign(sql, tenant, { count: BATCH });
    await timed("tick, nothing due", 1, (sql) => tick(sql, { windowS: 120 }));
    const claimed = await timed(
      "claim, a message",
      BATCH,
      (sql) => claimNotifications(sql, { worker: WORKER, limit: BATCH, leaseS: 60 }),
    );
    if (claimed.length !== BATCH) throw new Error(`${claimed.length} of ${BATCH} messages were claimed`);
    const results = claimed.map(sentResult);
    await timed(
      "finish, a message",
      BATCH,
      (sql) => finishNotifications(sql, { worker: WORKER, results, windowS: 120 }),
    );
    const events = results.map((result) => receipt(result, "delivered"));
    await timed("events, each", BATCH, async (sql) => {
      await storePlatformEvents(sql, events);
      await applyPlatformEvents(sql, BATCH);
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

/** Campaigns of 750 from anywhere in the history, with the hash of a key that may ask for them. */
async function someCampaigns(sql: Sql, count: number) {
  return await sql<{ company_id: string; id: string; key_hash: string }[]>`
    select g.company_id, g.id, k.key_hash from outbound.campaigns as g
    join outbound.api_keys as k on k.company_id = g.company_id and k.id = g.api_key_id
    where g.total = 750 order by random() limit ${count}`;
}
