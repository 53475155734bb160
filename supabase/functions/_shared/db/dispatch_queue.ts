import type { CallingHours } from "../scheduling/next_opening.ts";
import { jsonParameter, type Sql } from "./connect.ts";

/** A notification leased to this worker, with what its gateway needs. */
export interface ClaimedNotification {
  company_id: string;
  id: string;
  /** Proof of this very claim; goes back with the result. */
  fence: number;
  /** This try's number, from 1. */
  attempt: number;
  number: string;
  message: unknown;
  expires_at: Date;
  campaign_id: string;
  sender_id: string;
  channel: "whatsapp" | "voice";
  provider_id: string;
  token_sealed: string | null;
  template_id: string | null;
  template_name: string | null;
  template_language: string | null;
  name_event: string | null;
  /** The template's state now; null without a template. */
  template_status: string | null;
  /** The template needs other values now than when the request was accepted. */
  template_changed: boolean | null;
  /** The campaign's own, an IANA name. */
  timezone: string | null;
  /** When the company's calls may be made; null for at any time, and for what is no call. */
  calling_hours: CallingHours | null;
  /** The agent that was to make the call may not call any more. */
  agent_disabled: boolean;
  /** The sender's last calls did not reach the platform: an answer now is news. */
  troubled: boolean;
}

/** What became of one try; see `outbound.finish_notifications` for what each outcome does. */
export interface FinishedNotification {
  company_id: string;
  id: string;
  fence: number;
  attempt: number;
  /** ISO 8601. */
  started_at: string;
  outcome: "sent" | "failed" | "retry" | "not_sent" | "unknown" | "released" | "postponed";
  http_status: number | null;
  error_code: string | null;
  reason: string | null;
  provider_message_id: string | null;
  retry_in_s: number | null;
}

/** What an answer says about the sender; see `outbound.adjust_senders`. */
export interface SenderChange {
  company_id: string;
  sender_id: string;
  change: "reached" | "unreachable" | "slow_down" | "stop";
  reason?: string;
  /** Of a stop: the platform has locked the account. */
  for_good?: boolean;
}

/** A template the platform refuses for what it is. */
export interface StoppedTemplate {
  company_id: string;
  template_id: string;
  reason: string;
  /** When the try began that was refused, ISO 8601: what was approved since stays so. */
  at: string;
}

/** Claims what may leave now, of all companies but those in `except`. */
export async function claimNotifications(
  sql: Sql,
  { worker, limit, leaseS, except = [] }: {
    worker: string;
    limit: number;
    leaseS: number;
    except?: string[];
  },
): Promise<ClaimedNotification[]> {
  return await sql<ClaimedNotification[]>`
    select * from outbound.claim_notifications(
      ${worker}, ${limit}, make_interval(secs => ${leaseS}), ${except}::uuid[])`;
}

/** Returns how many rows changed state; fewer than given means that others had settled them already. */
export async function finishNotifications(
  sql: Sql,
  { worker, results, windowS }: { worker: string; results: FinishedNotification[]; windowS: number },
): Promise<number> {
  const [row] = await sql<{ changed: number }[]>`
    select outbound.finish_notifications(
      ${worker}, ${jsonParameter(sql, results)}, make_interval(secs => ${windowS})) as changed`;
  return row!.changed;
}

export async function adjustSenders(sql: Sql, changes: SenderChange[]): Promise<void> {
  await sql`select outbound.adjust_senders(${jsonParameter(sql, changes)})`;
}

/** Takes a template out of use; its campaigns are held by `settleTemplates`. */
export async function stopTemplate(
  sql: Sql,
  { company_id, template_id, reason, at }: StoppedTemplate,
): Promise<void> {
  await sql`select outbound.stop_template(${company_id}, ${template_id}, ${reason}, ${at})`;
}

/** Holds the campaigns of every template that is no longer approved, and lets go those of one that is again. */
export async function settleTemplates(sql: Sql): Promise<void> {
  while (true) {
    const [row] = await sql<{ more: boolean }[]>`select outbound.settle_templates() as more`;
    if (!row!.more) return;
  }
}

/** Has the templates of a sender's account read anew soon. */
export async function wantTemplates(
  sql: Sql,
  { company_id, sender_id }: { company_id: string; sender_id: string },
): Promise<void> {
  await sql`select outbound.want_templates(${company_id}, ${sender_id})`;
}

/** Holds on to what this worker has leased and knows of; a lease that ran out is not revived. */
export async function renewLeases(
  sql: Sql,
  { worker, leaseS, held }: {
    worker: string;
    leaseS: number;
    held: Pick<ClaimedNotification, "company_id" | "id">[];
  },
): Promise<void> {
  const companies = held.map(({ company_id }) => company_id);
  const ids = held.map(({ id }) => id);
  await sql`select outbound.renew_leases(${worker}, make_interval(secs => ${leaseS}), ${companies}, ${ids})`;
}

/** What names a notification. */
export type NotificationKey = Pick<ClaimedNotification, "company_id" | "id">;

/**
 * Hands back what this worker has leased and does not know of: claims whose answers were lost. Not to be called while a
 * claim is under way, nor without everything that may have been sent in `held`. Returns how many there were.
 */
export async function releaseClaimed(
  sql: Sql,
  { worker, held }: { worker: string; held: NotificationKey[] },
): Promise<number> {
  const companies = held.map(({ company_id }) => company_id);
  const ids = held.map(({ id }) => id);
  const [row] = await sql<{ released: number }[]>`
    select outbound.release_claimed(${worker}, ${companies}, ${ids}) as released`;
  return row!.released;
}

/** An account whose messages of unknown outcome wait, because no event of it can arrive. */
export interface SilentAccount {
  company_id: string;
  waba_id: string;
  messages: number;
  /** The signature of the last event about it was refused. */
  refused: boolean;
}

/**
 * Does what time alone brings about; one caller at a time works, the others return at once. Returns the accounts whose
 * messages wait from now on for another window.
 */
export async function tick(sql: Sql, { windowS }: { windowS: number }): Promise<SilentAccount[]> {
  const [row] = await sql<{ silent_accounts: SilentAccount[] | null }[]>`
    select outbound.tick(p_window => make_interval(secs => ${windowS})) -> 'silent_accounts' as silent_accounts`;
  return row!.silent_accounts ?? [];
}

/** Milliseconds until there is something to do by the database's clock; null when nothing waits. */
export async function millisecondsUntilDue(sql: Sql): Promise<number | null> {
  const [row] = await sql<{ ms: number | null }[]>`
    select (extract(epoch from nullif(outbound.next_due(), 'infinity') - clock_timestamp()) * 1000)::float8 as ms`;
  return row!.ms;
}
