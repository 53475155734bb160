import assert from "node:assert/strict";
import type postgres from "postgres";
import type { PlatformEvent } from "../../../supabase/functions/_shared/db/queue/platform_events.ts";
import { cancelCampaign } from "../../../supabase/functions/_shared/db/campaigns/campaign_control.ts";
import { finishNotifications } from "../../../supabase/functions/_shared/db/queue/dispatch_queue.ts";
import { withTestDatabase } from "../../setup/database/database.ts";
import {
  acceptAll,
  claim,
  eventOf,
  insertSendingCompany,
  letTimePass,
  messageId,
  report,
  requestOf,
  resultOf,
  type SendingCompany,
  tickNow,
} from "../../setup/fixtures/queue.ts";
import { foldAll, historyOf, recount } from "./recount.ts";

const EVENTS = 100_000;
const EVENTS_PER_BATCH = 1000;
const CAMPAIGNS = 40;
const MESSAGES_PER_CAMPAIGN = 100;
const SINGLES = 400;
const HOUR_MS = 3_600_000;
const PRICE = { country: "ES", category: "marketing", type: "regular", billable: true };

/** A generator of numbers from 0 to 1 that repeats itself in the next run (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = state + 0x6d2b79f5 | 0;
    let mixed = Math.imul(state ^ state >>> 15, 1 | state);
    mixed = mixed + Math.imul(mixed ^ mixed >>> 7, 61 | mixed) ^ mixed;
    return ((mixed ^ mixed >>> 14) >>> 0) / 2 ** 32;
  };
}

/** A message that events may be about. */
interface Message {
  companyId: string;
  id: string;
  campaignId: string;
}

type Pick = <Item>(items: readonly Item[]) => Item;

/** Numbers of six countries. */
const PREFIXES = ["34600", "59170", "1212555", "1416555", "77012", "79112"];

async function acceptMessages(sql: postgres.Sql, company: SendingCompany, pick: Pick): Promise<Message[]> {
  const sizes = [...Array(CAMPAIGNS).fill(MESSAGES_PER_CAMPAIGN), ...Array(SINGLES).fill(1)] as number[];
  const requests = sizes.map((count, index) =>
    requestOf(company, {
      addresses: Array.from({ length: count }, (_, n) => ({
        number: `${pick(PREFIXES)}${100_000 + index * 100 + n}`,
        user_id: null,
      })),
    })
  );
  for (let from = 0; from < requests.length; from += 20) {
    const verdicts = await acceptAll(sql, requests.slice(from, from + 20));
    assert.ok(verdicts.every(({ outcome }) => outcome === "accepted"));
  }
  return requests.flatMap(({ campaign, notifications }) =>
    notifications.map(({ id }) => ({ companyId: company.id, id, campaignId: campaign.id }))
  );
}

/** Reports of any stage, also of later attempts, repeated, late, and in any order. */
function randomEvents(messages: Message[], random: () => number, pick: Pick): PlatformEvent[] {
  return Array.from({ length: EVENTS_PER_BATCH }, () => {
    const { companyId, id } = pick(messages);
    const status = pick(["sent", "delivered", "delivered", "read", "failed"] as const);
    const fence = random() < 0.9 ? 1 : 2;
    return eventOf(companyId, id, status, {
      platform_message_id: messageId(id, fence),
      // Some are repeated under the same key.
      ...(random() < 0.8 && { dedupe_key: `${id}:${status}:${fence}:${Math.floor(random() * 1000)}` }),
      occurred_at: new Date(Date.now() - random() * 48 * HOUR_MS).toISOString(),
      retryable: random() < 0.3,
      ...(status === "failed" && { error_code: pick(["131026", "131049", "130472"]) }),
      ...((status === "delivered" || status === "read") && random() < 0.5 && { pricing: PRICE }),
    });
  });
}

/** Attempts, cancellations, replies, erasures and time, which happen beside events. */
async function doSomething(
  sql: postgres.Sql,
  messages: Message[],
  { random, pick }: { random: () => number; pick: Pick },
): Promise<void> {
  const dice = random();
  if (dice < 0.6) {
    const claimed = await claim(sql, { limit: 200 });
    const results = claimed.map((each) =>
      resultOf(each, {
        outcome: pick(["sent", "sent", "sent", "failed", "retry", "unknown", "skipped", "not_sent"] as const),
        retry_in_s: 0,
      })
    ).map((result) => result.outcome === "skipped" ? { ...result, error_code: "opted_out" } : result);
    await finishNotifications(sql, { worker: "worker", windowS: 120, results });
  } else if (dice < 0.7) {
    const { companyId, campaignId } = pick(messages);
    await cancelCampaign(sql, { companyId, campaignId }, { actor: "cli" });
  } else if (dice < 0.8) {
    const { companyId, id } = pick(messages);
    await sql`
      update outbound.notification_facts set replied_at = coalesce(replied_at, now() - interval '5 hours')
      where company_id = ${companyId} and id = ${id} and platform_message_id is not null`;
  } else if (dice < 0.9) {
    const { companyId, id } = pick(messages);
    await sql`select outbound.erase_notifications(${companyId}, array[${id}]::uuid[])`;
  } else {
    await letTimePass(sql, 150);
    await tickNow(sql);
  }
}

/** A fold that the process does not live to commit. */
async function foldAndDie(sql: postgres.Sql): Promise<void> {
  await assert.rejects(
    sql.begin(async (one) => {
      await foldAll(one, 500);
      throw new Error("killed");
    }),
    /killed/,
  );
}

Deno.test("100,000 random events in random order leave the history that a recount finds", () =>
  withTestDatabase(async ({ sql }) => {
    const random = randomOf(31);
    const pick: Pick = (items) => items[Math.floor(random() * items.length)]!;
    const companies = [await insertSendingCompany(sql), await insertSendingCompany(sql)];
    const messages = (await Promise.all(companies.map((company) => acceptMessages(sql, company, pick))))
      .flat();
    for (let done = 0; done < EVENTS; done += EVENTS_PER_BATCH) {
      await doSomething(sql, messages, { random, pick });
      await report(sql, randomEvents(messages, random, pick));
      if (random() < 0.3) await foldAndDie(sql);
      if (random() < 0.5) await sql`select outbound.fold_history(${Math.ceil(random() * 2000)})`;
    }

    // Chance replies to few messages, and to none of a company now and then.
    for (const { id } of companies) {
      await sql`
        update outbound.notification_facts set replied_at = now() - interval '5 hours' where id = (
          select n.id from outbound.notification_facts as n
          where n.company_id = ${id} and n.platform_message_id is not null and n.replied_at is null order by n.id limit 1
        )`;
    }

    await foldAll(sql);
    // Nothing is left to fold.
    await foldAll(sql);

    for (const { id } of companies) {
      const history = await historyOf(sql, id);
      const priced = Object.entries(history).filter(([key]) => key.endsWith(" priced"));
      const counted = Object.fromEntries(Object.entries(history).filter(([key]) => !key.endsWith(" priced")));
      const found = await recount(sql, id);
      assert.deepEqual(counted, found);
      const metrics = new Set(Object.keys(found).map((key) => key.split(" ").at(-1)));
      assert.equal(metrics.size, 8, [...metrics].join());
      await assertEqualsCounters(sql, id);
      const [pricing] = await sql`
        select sum(messages)::int as messages from outbound.campaign_pricing where company_id = ${id}`;
      assert.equal(priced.reduce((sum, [, count]) => sum + count, 0), pricing!.messages);
    }
  }));

/** Fails unless the history of each campaign of several messages adds up to its counters. */
async function assertEqualsCounters(sql: postgres.Sql, companyId: string): Promise<void> {
  const wrong = await sql`
    select g.id from outbound.campaigns as g
    left join (
      select h.campaign_id, sum(h.accepted) as accepted, sum(h.sent) as sent, sum(h.delivered) as delivered,
        sum(h.read) as read, sum(h.failed) as failed, sum(h.skipped) as skipped, sum(h.cancelled) as cancelled
      from outbound.history as h where h.company_id = ${companyId} group by h.campaign_id
    ) as h on h.campaign_id = g.id
    where g.company_id = ${companyId} and g.total > 1
      and (g.total, g.sent, g.delivered, g.read, g.failed, g.skipped, g.cancelled)
        is distinct from (h.accepted, h.sent, h.delivered, h.read, h.failed, h.skipped, h.cancelled)`;
  assert.deepEqual([...wrong], []);
}
