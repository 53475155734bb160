import assert from "node:assert/strict";
import type postgres from "postgres";
import { hashAccessKey } from "../../supabase/functions/_shared/access/new_keys.ts";
import type { Address } from "../../supabase/functions/_shared/values/address.ts";
import {
  acceptNotifications,
  type AcceptRequest,
  type AcceptVerdict,
} from "../../supabase/functions/_shared/db/queue/accept_notifications.ts";
import {
  type ClaimedNotification,
  claimNotifications,
  type FinishedNotification,
  finishNotifications,
} from "../../supabase/functions/_shared/db/queue/dispatch_queue.ts";
import {
  type PlatformEvent,
  storePlatformEvents,
} from "../../supabase/functions/_shared/db/queue/platform_events.ts";
import {
  insertCompany,
  insertKey,
  insertSender,
  insertTemplate,
  type KeyFixture,
  type KeyOverrides,
  type SenderFixture,
  type SenderOverrides,
} from "./fixtures.ts";

/** A company that can send: its key, a sender and an approved template of that sender's account. */
export interface SendingCompany {
  id: string;
  key: KeyFixture;
  sender: SenderFixture;
  template: KnownTemplate;
  /** The template of requests of type `marketing`, once `addMarketingTemplate` has added it. */
  marketing?: KnownTemplate;
}

interface KnownTemplate {
  id: string;
  name: string;
  shape: string;
}

export interface SendingCompanyOptions {
  sender?: SenderOverrides;
  key?: KeyOverrides;
  onUnknown?: "resend" | "hold";
}

/** Inserts a company with everything sending needs; its sender is fast by default. */
export async function insertSendingCompany(
  sql: postgres.Sql,
  { sender: senderOverrides, key: keyOverrides, onUnknown = "resend" }: SendingCompanyOptions = {},
): Promise<SendingCompany> {
  const { id } = await insertCompany(sql, { on_unknown: onUnknown });
  const key = await insertKey(sql, id, keyOverrides);
  const sender = await insertSender(sql, id, { rate_per_second: 100_000, ...senderOverrides });
  const template = await knownTemplate(sql, await insertTemplate(sql, sender));
  await fillBucket(sql, sender.id);
  return { id, key, sender, template };
}

/** Adds a template of category MARKETING to a company that has none. `enqueue` does so for requests of that type. */
export async function addMarketingTemplate(sql: postgres.Sql, company: SendingCompany): Promise<void> {
  // In another account, so that it is no part of what is listed of the sender's.
  const elsewhere = { company_id: company.id, waba_id: null };
  company.marketing ??= await knownTemplate(
    sql,
    await insertTemplate(sql, elsewhere, { category: "MARKETING" }),
  );
}

/** Returns a template with its shape. */
export async function knownTemplate(
  sql: postgres.Sql,
  { id, name }: Pick<KnownTemplate, "id" | "name">,
): Promise<KnownTemplate> {
  const [row] = await sql<{ shape: string }[]>`select shape from outbound.templates where id = ${id}`;
  return { id, name, shape: row!.shape };
}

/** As if the sender had been at rest for a second. */
export async function fillBucket(sql: postgres.Sql, senderId: string): Promise<void> {
  await sql`update outbound.sender_rate_state set refilled_at = refilled_at - interval '1 second'
    where sender_id = ${senderId}`;
  await planTurns(sql);
}

/** For tests that change by hand when something may be sent; the queue's own functions plan turns themselves. */
export async function planTurns(sql: postgres.ISql): Promise<void> {
  await sql`
    select outbound.schedule_senders(array_agg(w.company_id), array_agg(w.sender_id), false)
    from outbound.senders_with_work() as w`;
}

export interface RequestOverrides {
  count?: number;
  /** Instead of `count` numbers. */
  addresses?: Address[];
  type?: "transactional" | "utility" | "marketing";
  ttlS?: number;
  /** From now. */
  dueInS?: number | undefined;
  sender?: SenderFixture;
  /** The parts of each message. */
  message?: unknown;
  idempotency?: AcceptRequest["idempotency"];
}

/** A request of a company as the API would hand it to the database, with new ids. */
export function requestOf(company: SendingCompany, overrides: RequestOverrides = {}): AcceptRequest {
  const { count = 1, type = "utility", ttlS = 86_400, dueInS, idempotency = null } = overrides;
  const template = type === "marketing" ? company.marketing ?? company.template : company.template;
  const {
    addresses = numbers(count),
    message = [{ type: "body", parameters: [{ type: "text", text: "Ana" }] }],
  } = overrides;
  return {
    key_hash: hashAccessKey(company.key.key),
    permission: "chatapp_notifications",
    ttl_s: ttlS,
    campaign: {
      id: crypto.randomUUID(),
      channel: "whatsapp",
      name: "A campaign",
      notification_type: type,
      sender_id: (overrides.sender ?? company.sender).id,
      template_id: template.id,
      template_name: template.name,
      template_language: "en",
      template_shape: template.shape,
      agent_id: null,
      name_event: null,
      scheduled_time: dueInS === undefined ? null : new Date(Date.now() + dueInS * 1000).toISOString(),
      rejected: 0,
    },
    notifications: addresses.map((address) => ({ id: crypto.randomUUID(), ...address, message })),
    idempotency,
  };
}

interface AdditionOverrides extends RequestOverrides {
  more?: boolean;
  /** Its response says that the campaign is paused. */
  knowsPaused?: boolean;
}

/** A request that adds to a campaign that was accepted. */
export function additionTo(
  { campaign }: AcceptRequest,
  company: SendingCompany,
  { more = false, knowsPaused = false, ...overrides }: AdditionOverrides = {},
): AcceptRequest {
  const idempotency = { endpoint: "addition", key: crypto.randomUUID(), request_hash: "", answer: {} };
  return {
    ...requestOf(company, { idempotency, ...overrides }),
    campaign: { ...campaign, is_addition: true, more, knows_paused: knowsPaused },
  };
}

function numbers(count: number): Address[] {
  return Array.from(
    { length: count },
    (_, index) => ({ number: String(59_171_000_100 + index), user_id: null }),
  );
}

export async function acceptAll(sql: postgres.Sql, requests: AcceptRequest[]): Promise<AcceptVerdict[]> {
  return await acceptNotifications(sql, requests);
}

/** Notifications that were put in the queue. */
export interface Queued {
  campaignId: string;
  ids: string[];
}

/** Puts notifications in the queue the way the API does, and fails unless they were accepted. */
export async function enqueue(
  sql: postgres.Sql,
  company: SendingCompany,
  overrides: RequestOverrides = {},
): Promise<Queued> {
  if (overrides.type === "marketing") await addMarketingTemplate(sql, company);
  const request = requestOf(company, overrides);
  const [verdict] = await acceptAll(sql, [request]);
  assert.equal(verdict?.outcome, "accepted");
  return { campaignId: request.campaign.id, ids: request.notifications.map(({ id }) => id) };
}

export async function claim(
  sql: postgres.Sql,
  { worker = "worker", limit = 100, leaseS = 60 } = {},
): Promise<ClaimedNotification[]> {
  return [...await claimNotifications(sql, { worker, limit, leaseS })];
}

/** Records one outcome for each claimed notification; returns how many changed state. */
export async function finish(
  sql: postgres.Sql,
  claimed: ClaimedNotification[],
  facts: Partial<FinishedNotification> & Pick<FinishedNotification, "outcome">,
  { worker = "worker", windowS = 120 } = {},
): Promise<number> {
  const results = claimed.map((notification) => resultOf(notification, facts));
  return await finishNotifications(sql, { worker, windowS, results });
}

export function resultOf(
  { company_id, id, fence, attempt }: ClaimedNotification,
  facts: Partial<FinishedNotification> & Pick<FinishedNotification, "outcome">,
): FinishedNotification {
  return {
    company_id,
    id,
    fence,
    attempt,
    started_at: new Date().toISOString(),
    http_status: null,
    error_code: facts.outcome === "failed" ? "131026" : null,
    reason: ["failed", "retry", "unknown", "not_sent"].includes(facts.outcome) ? "A reason" : null,
    platform_message_id: facts.outcome === "sent" ? `wamid.${id}.${fence}` : null,
    retry_in_s: null,
    ...facts,
  };
}

/** The id under which the platform took the first attempt of a notification that `finish` wrote down. */
export function messageId(notificationId: string, fence = 1): string {
  return `wamid.${notificationId}.${fence}`;
}

/** A status the platform reports about the attempt that `messageId` made the message's id for, with our reference. */
export function eventOf(
  companyId: string,
  notificationId: string,
  status: PlatformEvent["status"],
  overrides: Partial<PlatformEvent> = {},
): PlatformEvent {
  const platform_message_id = overrides.platform_message_id ?? messageId(notificationId);
  return {
    dedupe_key: `whatsapp:${platform_message_id}:${status}`,
    channel: "whatsapp",
    waba_id: "1",
    platform_message_id,
    company_id: companyId,
    notification_id: notificationId,
    fence: overrides.notification_id === null ? null : fenceIn(platform_message_id),
    status,
    occurred_at: new Date().toISOString(),
    error_code: status === "failed" ? "131026" : null,
    retryable: false,
    reason: status === "failed" ? "Undeliverable" : null,
    ...overrides,
  };
}

/** Null for an id that `messageId` did not make. */
function fenceIn(platformMessageId: string): number | null {
  return Number(/\.(\d+)$/.exec(platformMessageId)?.[1] ?? 0) || null;
}

/** Stores events and applies whatever can be applied; returns how many were dealt with. */
export async function report(sql: postgres.Sql, events: PlatformEvent[]): Promise<number> {
  await storePlatformEvents(sql, events);
  const [row] = await sql<{ applied: number }[]>`select outbound.apply_platform_events() as applied`;
  return row!.applied;
}

export interface TickResult {
  released: number;
  rescued: number;
  resent: number;
  failed_unknown: number;
  expired: number;
  /** Senders that would have been looked at too late; always 0, unless a test changed the queue by hand. */
  repaired_turns: number;
  /** Accounts whose messages wait because no event of theirs can arrive. */
  silent_accounts?: { company_id: string; waba_id: string; messages: number; refused: boolean }[];
}

/** Does what time brings about, after a probe has found that our webhook can be reached. */
export async function tickNow(sql: postgres.Sql): Promise<TickResult> {
  // Writes the same as begin_webhook_probe and confirm_webhook_probe, in one query.
  await sql`update outbound.webhook_probe set begun_at = clock_timestamp(), returned_at = clock_timestamp()`;
  return await tickWithoutProbe(sql);
}

/** A probe of our webhook, as a dispatcher makes it; it came back or it did not. */
export async function probeWebhook(sql: postgres.Sql, cameBack: boolean): Promise<void> {
  const [row] = await sql<{ nonce: string | null }[]>`select outbound.begin_webhook_probe('0 s') as nonce`;
  if (row!.nonce === null) return;
  if (cameBack) await sql`select outbound.confirm_webhook_probe(${row!.nonce})`;
  await sql`select outbound.end_webhook_probe(${row!.nonce})`;
}

/** Does what time brings about, with no event of the platform but what the test stored. */
export async function tickWithoutProbe(sql: postgres.Sql): Promise<TickResult> {
  const [row] = await sql<{ did: TickResult }[]>`select outbound.tick() as did`;
  return row!.did;
}

/** As if this much time had gone by: every time the queue keeps moves back. */
export async function letTimePass(sql: postgres.ISql, seconds: number): Promise<void> {
  const by = sql`make_interval(secs => ${seconds})`;
  await sql`update outbound.notifications
    set run_at = run_at - ${by}, expires_at = expires_at - ${by}, lease_until = lease_until - ${by},
      claimed_at = claimed_at - ${by}`;
  await sql`update outbound.notifications
    set sent_at = sent_at - ${by}, delivered_at = delivered_at - ${by}, failed_at = failed_at - ${by} where voice`;
  await sql`update outbound.calls set started_at = started_at - ${by}, check_at = check_at - ${by}`;
  await sql`update outbound.campaigns
    set scheduled_time = scheduled_time - ${by}, open_until = open_until - ${by}`;
  await sql`update outbound.sender_rate_state
    set refilled_at = refilled_at - ${by}, throttled_at = throttled_at - ${by},
      blocked_until = blocked_until - ${by}, reached_at = reached_at - ${by},
      unreachable_since = unreachable_since - ${by}`;
  await sql`update outbound.sender_schedule set ready_at = ready_at - ${by}, due_at = due_at - ${by}`;
  await sql`update outbound.account_signals
    set event_at = event_at - ${by}, refused_at = refused_at - ${by},
      refused_since = refused_since - ${by}, accepted_at = accepted_at - ${by}`;
  await sql`update outbound.webhook_probe
    set begun_at = begun_at - ${by}, returned_at = returned_at - ${by}, failed_at = failed_at - ${by},
      failing_since = failing_since - ${by}, recovered_at = recovered_at - ${by}`;
  await sql`update outbound.settings set updated_at = updated_at - ${by} where name = 'missed_ticks'`;
  await sql`update outbound.settings set value = to_jsonb((value #>> '{}')::timestamptz - ${by})
    where name = 'leases_from'`;
  await sql`update outbound.platform_events
    set received_at = received_at - ${by}, apply_at = apply_at - ${by} where applied_at is null`;
  await planTurns(sql);
}

export interface NotificationState {
  id: string;
  status: string;
  attempt: number;
  fence: number;
  platform_message_id: string | null;
  error_code: string | null;
  error_reason: string | null;
  waits_s: number;
}

/** The states of notifications, in the order of `ids`. */
export async function statesOf(sql: postgres.Sql, ids: string[]): Promise<NotificationState[]> {
  return [
    ...await sql<NotificationState[]>`
    select n.id, n.status, n.attempt, n.fence, n.platform_message_id, n.error_code, n.error_reason,
      extract(epoch from coalesce(n.held_run_at, n.run_at) - now())::float8 as waits_s
    from unnest(${ids}::uuid[]) with ordinality as wanted(id, ord)
    join outbound.notifications as n on n.id = wanted.id order by wanted.ord`,
  ];
}

export async function statusesOf(sql: postgres.Sql, ids: string[]): Promise<string[]> {
  return (await statesOf(sql, ids)).map(({ status }) => status);
}

/** Counters of a campaign that are not 0. */
export async function countersOf(sql: postgres.Sql, campaignId: string): Promise<Record<string, number>> {
  const [row] = await sql`
    select pending, processing, sent, delivered, read, failed, cancelled, skipped from outbound.campaigns
    where id = ${campaignId}`;
  return Object.fromEntries(Object.entries(row ?? {}).filter(([, value]) => value !== 0));
}

/**
 * Fails unless the counters of every campaign are what its notifications really are, no sender's turn comes later than
 * it may send something, and claims begin to read before everything that waits.
 */
export async function assertConserved(database: postgres.Sql): Promise<void> {
  // One snapshot for all: sender_ready_at() counts calls by a newer one than the turn it is compared with.
  await database.begin("isolation level repeatable read read only", async (sql) => {
    const wrong = await sql`
    select g.id, v.* from outbound.campaigns as g
    cross join lateral outbound.verify_campaign(g.company_id, g.id) as v where v.stored <> v.actual`;
    assert.deepEqual([...wrong], []);
    const late = await sql`
    select t.sender_id, t.due_at, t.ready_at, r.ready_at as could_send_at, n.run_at
    from outbound.sender_schedule as t
    join outbound.senders as s on s.company_id = t.company_id and s.id = t.sender_id
    join outbound.sender_rate_state as p on p.company_id = t.company_id and p.sender_id = t.sender_id
    cross join lateral (select outbound.sender_ready_at(p, s) as ready_at offset 0) as r
    cross join lateral (
      select min(n.run_at) as run_at from outbound.notifications as n
      where n.sender_id = t.sender_id and n.status in ('scheduled', 'queued')
    ) as n
    where n.run_at <> 'infinity' and t.due_at > greatest(clock_timestamp() + interval '100 ms', n.run_at, r.ready_at)`;
    assert.deepEqual([...late], []);
    const unread = await sql`
    select n.id, n.priority, n.run_at, t.queue_cursor, t.queue_cursor_id
    from outbound.notifications as n
    join outbound.sender_schedule as t on t.company_id = n.company_id and t.sender_id = n.sender_id
    where n.status in ('scheduled', 'queued')
      and (n.run_at, n.id) < (t.queue_cursor[n.priority + 1], t.queue_cursor_id[n.priority + 1])`;
    assert.deepEqual([...unread], []);
  });
}
