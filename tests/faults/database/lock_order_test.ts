import assert from "node:assert/strict";
import { CLI } from "../../../supabase/functions/_shared/db/access/audit.ts";
import {
  lockCurrentKey,
  updateKey,
  updateKeyAddress,
} from "../../../supabase/functions/_shared/db/access/keys.ts";
import { inTransaction } from "../../../supabase/functions/_shared/db/driver/in_transaction.ts";
import type postgres from "postgres";
import { OWN_ENDPOINT } from "../../../supabase/functions/_shared/db/webhooks/webhooks.ts";
import {
  cancelCampaign,
  continueStopping,
  moveCampaign,
  pauseCampaign,
  resumeCampaign,
} from "../../../supabase/functions/_shared/db/campaigns/campaign_control.ts";
import { failEndlessCalls, takeCallsToCheck } from "../../../supabase/functions/_shared/db/calls/calls.ts";
import {
  adjustSenders,
  type FinishedNotification,
  finishNotifications,
  renewLeases,
  settleTemplates,
  tick,
} from "../../../supabase/functions/_shared/db/queue/dispatch_queue.ts";
import {
  applyAccountEvents,
  applyPlatformEvents,
  type PlatformEvent,
  storeAccountEvents,
  storePlatformEvents,
} from "../../../supabase/functions/_shared/db/queue/platform_events.ts";
import { storeInboundMessages } from "../../../supabase/functions/_shared/db/contacts/inbound.ts";
import { connect } from "../../../supabase/functions/_shared/db/driver/connect.ts";
import {
  addMediaFile,
  expectMedia,
  forgetMediaLeftover,
  takeMediaLeftovers,
} from "../../../supabase/functions/_shared/db/media/media_files.ts";
import {
  claimReceivedMedia,
  failReceivedMedia,
} from "../../../supabase/functions/_shared/db/media/received_media.ts";
import { withPostgresDatabase } from "../../setup/database/postgres_database.ts";
import { insertWebhook } from "../../setup/fixtures/webhooks.ts";
import {
  type CallingCompany,
  enqueueCalls,
  insertCallingCompany,
} from "../../setup/fixtures/calling_company.ts";
import {
  acceptAll,
  additionTo,
  assertConserved,
  claim,
  insertSendingCompany,
  planTurns,
  requestOf,
  resultOf,
  type SendingCompany,
} from "../../setup/fixtures/queue.ts";
import { printFigures } from "../figures.ts";

/** The database finds a deadlock after this long, and counts it. */
const DEADLOCK_TIMEOUT_MS = 50;
const SECONDS = Number(Deno.env.get("TEST_LOCK_ORDER_S") ?? "60");
const WORKERS = ["w1", "w2", "w3"];
const WINDOW_S = 1;
const OUTCOMES = ["sent", "sent", "sent", "retry", "not_sent", "failed", "unknown", "released"] as const;
const STATUSES = ["sent", "delivered", "read", "failed"] as const;

const pick = <T>(values: readonly T[]): T | undefined => values[Math.floor(Math.random() * values.length)];

interface Tenants {
  senders: SendingCompany[];
  callers: CallingCompany[];
}

type Work = (sql: postgres.Sql, tenants: Tenants, worker: string) => Promise<unknown>;

interface Job {
  work: Work;
  /** @default 1 */
  connections?: number;
  /** From the end of one call to the next. @default 5 */
  pauseMs?: number;
}

/** Everything that writes the queue's rows. What brings work in is slower than what works it off. */
const WORK: Record<string, Job> = {
  accept: { work: acceptSome, connections: 2, pauseMs: 150 },
  add: { work: addSome, connections: 2, pauseMs: 100 },
  "accept for later": { work: scheduleSome, pauseMs: 150 },
  "accept calls": {
    work: (sql, { callers }) => enqueueCalls(sql, pick(callers)!, { count: 10 }),
    pauseMs: 150,
  },
  claim: { work: (sql, _, worker) => claim(sql, { worker, limit: 100, leaseS: 1 }), connections: 3 },
  finish: { work: finishSome, connections: 3 },
  "store events": { work: storeSome, connections: 2 },
  "inbound messages": { work: receiveSome, connections: 2 },
  "files of people": { work: storeFiles, connections: 2 },
  replies: { work: replySome, connections: 2 },
  "apply events": { work: (sql) => applyPlatformEvents(sql, 200), connections: 2 },
  tick: { work: (sql) => tick(sql, { windowS: WINDOW_S }), connections: 2 },
  "renew leases": { work: renewSome },
  pause: { work: pauseOne },
  resume: { work: resumeOne },
  cancel: { work: cancelOne },
  move: { work: moveOne },
  "continue stopping": { work: (sql) => continueStopping(sql) },
  templates: { work: switchTemplate, pauseMs: 200 },
  senders: { work: adjustOne, pauseMs: 50 },
  "account events": { work: tellAccounts, connections: 2, pauseMs: 50 },
  "check calls": { work: (sql) => takeCallsToCheck(sql, { limit: 50, afterS: 1 }) },
  "fail calls": { work: (sql) => failEndlessCalls(sql, { limit: 50, afterS: 1 }) },
  "plan turns": { work: planTurns },
  keys: { work: changeKey, connections: 2, pauseMs: 20 },
  "deliver events": { work: deliverSome, connections: 2 },
  "switch webhook": { work: switchWebhook },
  "clean up": { work: (sql) => sql`select outbound.clean_up(1000)` },
};

Deno.test(`everything that writes the queue may run at once: no deadlock in ${SECONDS} s, and the counters agree`, () =>
  withPostgresDatabase(async ({ sql, url }) => {
    await sql.unsafe(`
      do $$ begin execute format('alter database %I set deadlock_timeout = ''${DEADLOCK_TIMEOUT_MS}ms''',
        current_database()); end $$`);
    const tenants = await insertTenants(sql);
    const until = Date.now() + SECONDS * 1000;

    const done = await Promise.all(
      Object.entries(WORK).flatMap(([name, { work, connections = 1, pauseMs = 5 }]) =>
        Array.from(
          { length: connections },
          (_, index) =>
            repeatUntil(
              until,
              { url, pauseMs },
              (one) => work(one, tenants, WORKERS[index % WORKERS.length]!),
            )
              .then((times) => ({ name, ...times })),
        )
      ),
    );

    const figures = Object.groupBy(done, ({ name }) => name);
    printFigures(
      `calls in ${SECONDS} s`,
      Object.fromEntries(
        Object.entries(figures).map((
          [name, rows],
        ) => [name, rows!.reduce((sum, { times }) => sum + times, 0)]),
      ),
    );
    assert.deepEqual(done.flatMap(({ errors }) => errors), []);
    for (const { name, times } of done) assert.ok(times > 0, `${name} never ran`);
    const [row] = await sql`
      select pg_stat_get_db_deadlocks(oid)::int as deadlocks from pg_database where datname = current_database()`;
    assert.equal(row!.deadlocks, 0);
    await assertConserved(sql);
    const miscounted = await sql`
      select u.bytes, f.bytes as files, l.bytes as leftovers from outbound.media_usage as u
      cross join lateral (
        select coalesce(sum(f.bytes), 0) as bytes from outbound.media_files as f where f.company_id = u.company_id
      ) as f
      cross join lateral (
        select coalesce(sum(l.bytes), 0) as bytes from outbound.media_leftovers as l where l.company_id = u.company_id
      ) as l
      where u.bytes <> f.bytes + l.bytes`;
    assert.deepEqual([...miscounted], []);
  }));

async function insertTenants(sql: postgres.Sql): Promise<Tenants> {
  const senders: SendingCompany[] = [];
  for (let n = 0; n < 3; n++) {
    const key = { rate_limit: 1_000_000, daily_quota: 1_000_000_000 };
    const company = await insertSendingCompany(sql, { key });
    await insertWebhook(sql, company.id);
    senders.push(company);
  }
  const callers = [await insertCallingCompany(sql, { concurrency: 200 })];
  await insertWebhook(sql, callers[0]!.id);
  await sql`update outbound.companies set call_gap_s = 0`;
  return { senders, callers };
}

/** Repeats `work` on a connection of its own; a failure is kept and does not stop it. */
async function repeatUntil(
  until: number,
  { url, pauseMs }: { url: string; pauseMs: number },
  work: (sql: postgres.Sql) => Promise<unknown>,
): Promise<{ times: number; errors: string[] }> {
  const sql = connect(url, { max: 1 });
  const errors: string[] = [];
  let times = 0;
  try {
    while (Date.now() < until && errors.length < 3) {
      await work(sql).then(() => times++, (error) => errors.push(describe(error)));
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    return { times, errors };
  } finally {
    await sql.end({ timeout: 5 });
  }
}

function describe(error: unknown): string {
  const { code, message, detail, where } = error as Record<string, string>;
  return [code, message, detail, where].join(" | ");
}

interface Claimed {
  company_id: string;
  id: string;
  fence: number;
  attempt: number;
  worker: string | null;
}

/** Requests of several companies at once; a template that is not approved makes one stale. */
async function acceptSome(sql: postgres.Sql, { senders }: Tenants): Promise<void> {
  const requests = [pick(senders)!, pick(senders)!].map((company) =>
    requestOf(company, { count: 10, ttlS: pick([2, 60])! })
  );
  await acceptAll(sql, requests);
}

/** Requests that add to two campaigns of several companies, or of one, in either order; some keep them open. */
async function addSome(sql: postgres.Sql, { senders }: Tenants): Promise<void> {
  const requests = await Promise.all([pick(senders)!, pick(senders)!, pick(senders)!].map(async (company) => {
    const [campaign] = await sql<{ id: string }[]>`
      select id from outbound.campaigns where company_id = ${company.id} order by random() limit 1`;
    const request = requestOf(company);
    if (campaign) request.campaign.id = campaign.id;
    return additionTo(request, company, {
      count: 5,
      ttlS: pick([2, 60])!,
      more: Math.random() < 0.5,
      knowsPaused: true,
    });
  }));
  await acceptAll(sql, requests);
  await sql`update outbound.campaigns set open_until = now() where id = ${requests[0]!.campaign.id}
    and open_until is not null`;
}

/** Changes the limits of a key as its owner does, and records where it is used from. */
async function changeKey(sql: postgres.Sql, { senders }: Tenants): Promise<void> {
  const { id: companyId, key } = pick(senders)!;
  await inTransaction(sql, async (on) => {
    await lockCurrentKey(on, companyId);
    await updateKey(on, companyId, { dailyQuota: 1_000_000_000 + Math.floor(Math.random() * 100) }, CLI);
  });
  const address = `203.0.113.${Math.floor(Math.random() * 256)}`;
  await updateKeyAddress(sql, { companyId, keyId: key.id, address });
}

/** Some that a worker has, and now and then one that it lost. */
async function finishSome(sql: postgres.Sql, _: Tenants, worker: string): Promise<void> {
  const rows = await sql<Claimed[]>`
    select company_id, id, fence, attempt, worker from outbound.notifications
    where status in ('sending', 'unconfirmed') and (worker = ${worker} or worker is null and random() < 0.1) limit 100`;
  const results = rows.map((row): FinishedNotification => {
    const outcome = pick(OUTCOMES)!;
    return resultOf(row as never, { outcome, retry_in_s: outcome === "retry" ? 0.05 : null });
  });
  await finishNotifications(sql, { worker, results, windowS: WINDOW_S });
}

async function renewSome(sql: postgres.Sql): Promise<void> {
  const held = await sql<Claimed[]>`
    select company_id, id from outbound.notifications where status = 'sending' and worker = 'w1' limit 100`;
  await renewLeases(sql, { worker: "w1", leaseS: 1, notifications: [...held] });
}

/** Events of messages and calls, with our reference or without. */
async function storeSome(sql: postgres.Sql, { senders }: Tenants): Promise<void> {
  const rows = await sql<Claimed[] & { voice: boolean }[]>`
    select company_id, id, fence, voice from outbound.notifications
    where status in ('sending', 'unconfirmed', 'sent', 'delivered') order by random() limit 60`;
  const events = (rows as unknown as (Claimed & { voice: boolean })[]).map((row): PlatformEvent => {
    const status = pick(STATUSES)!;
    const named = Math.random() < 0.7;
    const platform_message_id = `wamid.${row.id}.${row.fence}`;
    return {
      dedupe_key: crypto.randomUUID(),
      channel: row.voice ? "voice" : "whatsapp",
      waba_id: senders.find(({ id }) => id === row.company_id)?.sender.waba_id ?? "1",
      platform_message_id,
      company_id: named ? row.company_id : null,
      notification_id: named ? row.id : null,
      fence: named ? pick([row.fence, row.fence - 1, null]) ?? null : null,
      status,
      occurred_at: new Date().toISOString(),
      error_code: status === "failed" ? "131026" : null,
      retryable: Math.random() < 0.5,
      reason: null,
      ...(row.voice && {
        call: { outcome: "answered", duration_s: 3, summary: null, transcript: [], ended_at: null },
      }),
    };
  });
  if (events.length > 0) await storePlatformEvents(sql, events);
}

/** People of several companies who reply to what they were sent. */
async function receiveSome(sql: postgres.Sql, { senders }: Tenants): Promise<void> {
  const { id: companyId, sender } = pick(senders)!;
  const replied = await sql<{ number: string; platform_message_id: string }[]>`
    select number, platform_message_id from outbound.notifications
    where company_id = ${companyId} and platform_message_id is not null order by random() limit 10`;
  await storeInboundMessages(
    sql,
    replied.map(({ number, platform_message_id }) => ({
      ...{
        id: crypto.randomUUID(),
        waba_id: sender.waba_id!,
        phone_number_id: sender.platform_id,
        number,
        user_id: null,
      },
      ...{ profile_name: null, username: null, platform_message_id: crypto.randomUUID() },
      ...{
        context_message_id: platform_message_id,
        at: new Date().toISOString(),
        kind: "text",
        text: "Hi",
        content: null,
        holds_file: true,
      },
      ...{ folded: null, word_says: null, button_says: null, confirmations: [] },
    })),
  );
}

/** Stores files of people, or fails to, or deletes their messages meanwhile; then deletes what is left over. */
async function storeFiles(sql: postgres.Sql): Promise<void> {
  for (const file of await claimReceivedMedia(sql, { limit: 4, leaseS: 1, except: [] })) {
    const { company_id: companyId, message_id } = file;
    const outcome = pick(["stored", "stored", "deleted", "retry", "failed"])!;
    if (outcome === "retry" || outcome === "failed") {
      const retryInS = outcome === "retry" ? 0.05 : null;
      await failReceivedMedia(sql, file, { code: "unavailable", reason: "No", retryInS });
      continue;
    }
    const id = crypto.randomUUID();
    await expectMedia(sql, { companyId, mediaId: id }, { bytes: 7, maxBytes: 1_000_000 });
    if (outcome === "deleted") {
      await sql`delete from outbound.contact_messages where company_id = ${companyId} and id = ${message_id}`;
    }
    await addMediaFile(sql, companyId, {
      ...{ id, kind: "image", content_type: "image/png", bytes: 7, sha256: "0".repeat(64) },
      ...{ file_name: null, message_id },
    }, { actor: "platform" });
  }
  for (const ids of await takeMediaLeftovers(sql, 20)) await forgetMediaLeftover(sql, ids);
}

/** Queues a reply, and sends some. */
async function replySome(sql: postgres.Sql, { senders }: Tenants, worker: string): Promise<void> {
  const { id: companyId } = pick(senders)!;
  const [person] = await sql<{ number: string }[]>`
    select number from outbound.contact_messages
    where company_id = ${companyId} and direction = 'in' order by random() limit 1`;
  if (person) {
    const reply = { id: crypto.randomUUID(), number: person.number, kind: "text", text: "Hi" };
    await sql`select from outbound.queue_reply(${companyId}, ${sql.json(reply)}, null)`;
  }
  const claimed = await sql<{ company_id: string; id: string; fence: number }[]>`
    select company_id, id, fence from outbound.claim_replies(${worker}, 20, '1 second')`;
  const outcomes = ["sent", "retry", "not_sent", "failed", "unknown", "released"] as const;
  const results = claimed.map((reply) => ({
    ...reply,
    outcome: pick(outcomes),
    retry_in_s: 0.05,
    reason: "A reason",
  }));
  await sql`select outbound.finish_replies(${sql.json(results)}, '1 second')`;
  await sql`select outbound.settle_replies('1 second')`;
}

interface Campaign {
  company_id: string;
  id: string;
}

async function anyCampaign(sql: postgres.Sql, where: postgres.PendingQuery<postgres.Row[]>) {
  const [row] = await sql<Campaign[]>`
    select company_id, id from outbound.campaigns where ${where} order by random() limit 1`;
  return row && { companyId: row.company_id, campaignId: row.id };
}

async function pauseOne(sql: postgres.Sql): Promise<void> {
  const campaign = await anyCampaign(sql, sql`completed_at is null`);
  if (campaign) await pauseCampaign(sql, campaign, CLI);
}

async function resumeOne(sql: postgres.Sql): Promise<void> {
  const campaign = await anyCampaign(sql, sql`paused_at is not null`);
  if (campaign) await resumeCampaign(sql, campaign, CLI);
}

async function cancelOne(sql: postgres.Sql): Promise<void> {
  const campaign = await anyCampaign(sql, sql`completed_at is null and random() < 0.1`);
  if (campaign) await cancelCampaign(sql, campaign, CLI);
}

async function scheduleSome(sql: postgres.Sql, { senders }: Tenants): Promise<void> {
  await acceptAll(sql, [requestOf(pick(senders)!, { count: 10, ttlS: 60, dueInS: pick([1, 5])! })]);
}

async function moveOne(sql: postgres.Sql): Promise<void> {
  const campaign = await anyCampaign(sql, sql`scheduled_time > now() and started_at is null`);
  if (campaign) await moveCampaign(sql, campaign, { to: new Date(Date.now() + 1000), timezone: null }, CLI);
}

async function switchTemplate(sql: postgres.Sql, { senders }: Tenants): Promise<void> {
  const { template } = pick(senders)!;
  await sql`update outbound.templates set status = case status when 'approved' then 'disabled' else 'approved' end
    where id = ${template.id}`;
  await settleTemplates(sql);
}

async function adjustOne(sql: postgres.Sql, { senders, callers }: Tenants): Promise<void> {
  const changes = [...senders, ...callers].map(({ id, sender }) => ({
    company_id: id,
    sender_id: sender.id,
    change: pick(["reached", "reached", "unreachable", "slow_down", "stop"] as const)!,
    reason: "A reason",
  }));
  await adjustSenders(sql, changes);
  const { sender } = pick([...senders, ...callers])!;
  await sql`update outbound.senders set status = 'active', stopped_reason = null, stopped_at = null,
    locked = false, stopped_by_account = false where id = ${sender.id}`;
}

/** Bans all accounts, or reinstates them; each account's number gets another limit. */
async function tellAccounts(sql: postgres.Sql, { senders }: Tenants): Promise<void> {
  const banned = Math.random() < 0.5;
  await storeAccountEvents(
    sql,
    senders.map(({ sender }) => ({
      dedupe_key: crypto.randomUUID(),
      waba_id: sender.waba_id!,
      number: null,
      status: banned ? "disabled" : "active",
      reason: banned ? "A reason" : null,
      until: null,
      messaging_limit: pick(["TIER_250", "TIER_2K"])!,
      quality: null,
      notice: null,
      occurred_at: new Date().toISOString(),
    })),
  );
  await applyAccountEvents(sql, 100);
}

async function deliverSome(sql: postgres.Sql, _: Tenants, worker: string): Promise<void> {
  const claimed = await sql<{ company_id: string; event_id: string; attempt: number }[]>`
    select company_id, event_id, attempt from outbound.claim_deliveries(${worker}, 50, 2, '1 second')`;
  const results = claimed.map((delivery) => ({
    ...delivery,
    outcome: Math.random() < 0.8 ? "succeeded" : "failed",
    retry_in_s: 0.05,
    gone: Math.random() < 0.005,
  }));
  await sql`select outbound.finish_deliveries(${worker}, ${sql.json(results)})`;
}

async function switchWebhook(sql: postgres.Sql, { senders }: Tenants): Promise<void> {
  const { id } = pick(senders)!;
  if (Math.random() < 0.2) await sql`select outbound.stop_endpoint(${id}, ${OWN_ENDPOINT}, 'A reason')`;
  else {
    await sql`update outbound.webhooks set is_active = true, stopped_reason = null where company_id = ${id}`;
  }
}
