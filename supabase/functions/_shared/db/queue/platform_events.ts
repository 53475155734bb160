import { jsonParameter, type Sql } from "../driver/connect.ts";

/** One status the platform reported. Field names are those of `outbound.store_platform_events`. */
export interface PlatformEvent {
  /** The same for a repeated report, so that it is stored once. */
  dedupe_key: string;
  channel: "whatsapp" | "voice";
  waba_id: string | null;
  /** WhatsApp: the platform's id of the number it went out from; null when the event does not name it. */
  phone_number_id?: string | null;
  /** It carries a reference that another system wrote, so it is about no message of ours. */
  foreign_reference?: boolean;
  platform_message_id: string | null;
  /** From our reference; null when it did not come back. */
  company_id: string | null;
  notification_id: string | null;
  /** The try it is about; null when the reference does not name one. */
  fence: number | null;
  status: "sent" | "delivered" | "read" | "failed";
  /** ISO 8601. */
  occurred_at: string;
  error_code: string | null;
  retryable: boolean;
  reason: string | null;
  /** How a call ended. */
  call?: CallFacts;
  /** How the platform priced the message; the country by ISO 3166-1, empty where it is not known. */
  pricing?: { country: string; category: string; type: string; billable: boolean };
}

/** The facts about a call besides its status. */
export interface CallFacts {
  outcome: "answered" | "voicemail" | "busy" | "no_answer" | "failed" | null;
  duration_s: number | null;
  summary: string | null;
  transcript: unknown;
  /** ISO 8601; null while it goes on. */
  ended_at: string | null;
}

/** One thing the platform reported about a template. Field names are those of `outbound.store_template_events`. */
export interface TemplateEventRow {
  /** The same for a repeated report, so that it is stored once. */
  dedupe_key: string;
  waba_id: string;
  platform_template_id: string | null;
  name: string;
  language: string;
  kind: "status" | "quality" | "category" | "components";
  status: string | null;
  reason: string | null;
  category: string | null;
  quality: string | null;
  /** ISO 8601. */
  occurred_at: string;
}

/** One thing the platform reported about an account. Field names are those of `outbound.store_account_events`. */
export interface AccountEventRow {
  /** The same for a repeated report, so that it is stored once. */
  dedupe_key: string;
  waba_id: string;
  number: string | null;
  status: "active" | "restricted" | "disabled" | null;
  reason: string | null;
  /** ISO 8601. */
  until: string | null;
  messaging_limit: string | null;
  quality: string | null;
  notice: string | null;
  /** ISO 8601. */
  occurred_at: string;
}

/**
 * Takes events: applies the receipts of sent messages, counts the events of other systems, and stores the others. Returns
 * how many it stored.
 */
export async function storePlatformEvents(sql: Sql, events: PlatformEvent[]): Promise<number> {
  const [row] = await sql<{ stored: number }[]>`
    select outbound.store_platform_events(${jsonParameter(sql, events)}) as stored`;
  return row!.stored;
}

/** Applies up to `limit` waiting events; returns how many it handled. */
export async function applyPlatformEvents(sql: Sql, limit: number): Promise<number> {
  const [row] = await sql<{ applied: number }[]>`select outbound.apply_platform_events(${limit}) as applied`;
  return row!.applied;
}

/** Stores events about templates; returns how many were new. */
export async function storeTemplateEvents(sql: Sql, events: TemplateEventRow[]): Promise<number> {
  const [row] = await sql<{ stored: number }[]>`
    select outbound.store_template_events(${jsonParameter(sql, events)}) as stored`;
  return row!.stored;
}

/** Applies up to `limit` of them; returns how many it handled, and 0 while another process applies them. */
export async function applyTemplateEvents(sql: Sql, limit: number): Promise<number> {
  const [row] = await sql<{ applied: number }[]>`select outbound.apply_template_events(${limit}) as applied`;
  return row!.applied;
}

/** Stores events about accounts; returns how many were new. */
export async function storeAccountEvents(sql: Sql, events: AccountEventRow[]): Promise<number> {
  const [row] = await sql<{ stored: number }[]>`
    select outbound.store_account_events(${jsonParameter(sql, events)}) as stored`;
  return row!.stored;
}

/** Applies up to `limit` of them; returns how many it handled, and 0 while another process applies them. */
export async function applyAccountEvents(sql: Sql, limit: number): Promise<number> {
  const [row] = await sql<{ applied: number }[]>`select outbound.apply_account_events(${limit}) as applied`;
  return row!.applied;
}

/** A business account of a company. */
export interface Account {
  company_id: string;
  waba_id: string;
}

/**
 * Begins a probe of our own webhook. Returns the nonce that the probe must carry, or null when none is due: another probe
 * began less than `everyMs` ago, or no message is unconfirmed and the last probe is less than an hour old (a minute after
 * one that failed).
 */
export async function beginWebhookProbe(sql: Sql, { everyMs }: { everyMs: number }): Promise<string | null> {
  const [row] = await sql<{ nonce: string | null }[]>`
    select outbound.begin_webhook_probe(make_interval(secs => ${everyMs / 1000})) as nonce`;
  return row!.nonce;
}

/** Records that a probe came back. Changes nothing unless it is the last one, and of this database. */
export async function confirmWebhookProbe(sql: Sql, nonce: string): Promise<void> {
  await sql`select outbound.confirm_webhook_probe(${nonce})`;
}

/** Ends a probe: returns whether it came back in time; null when another was begun since. */
export async function endWebhookProbe(sql: Sql, nonce: string): Promise<boolean | null> {
  const [row] = await sql<{ came_back: boolean | null }[]>`
    select outbound.end_webhook_probe(${nonce}) as came_back`;
  return row!.came_back;
}

/** Returns those of the business accounts that have a sender in this database. */
export async function readKnownAccounts(sql: Sql, wabaIds: string[]): Promise<Set<string>> {
  const rows = await sql<{ waba_id: string }[]>`
    select w.waba_id from unnest(${wabaIds}::text[]) as w(waba_id)
    where exists (select from outbound.senders as s where s.waba_id = w.waba_id)`;
  return new Set(rows.map(({ waba_id }) => waba_id));
}

/**
 * Records that the signature of a report about these notifications was refused. Returns the accounts whose notifications
 * they are; none for ids that are not ours.
 */
export async function recordRefusedEvents(
  sql: Sql,
  notifications: { companyId: string; notificationId: string }[],
): Promise<Account[]> {
  return [
    ...await sql<Account[]>`
      select company_id, waba_id from outbound.record_refused_events(
        ${notifications.map(({ companyId }) => companyId)}::uuid[],
        ${notifications.map(({ notificationId }) => notificationId)}::uuid[]
      )`,
  ];
}
