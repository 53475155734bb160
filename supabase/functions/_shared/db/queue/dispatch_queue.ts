import { jsonParameter, type Sql } from "../driver/connect.ts";

/** The facts that the claimed messages of one campaign share. Field names are those of `outbound.claim_notifications`. */
interface ClaimedCampaign {
  company_id: string;
  campaign_id: string;
  sender_id: string;
  channel: "whatsapp" | "voice";
  platform_id: string;
  token_sealed: string | null;
  template_id: string | null;
  template_name: string | null;
  template_language: string | null;
  name_event: string | null;
  /** The template's state now; null without a template. */
  template_status: string | null;
  /** The template needs other values now than when the request was accepted. */
  template_changed: boolean | null;
  /** The company's rules about marketing apply. */
  is_marketing: boolean;
  /** The company's rules about when to send (`contact_rules.sending_hours`); null for at any time. */
  sending_hours: unknown;
  /** The company's rules about how much to send (`contact_rules.frequency_caps`); null for any number. */
  frequency_caps: unknown;
  /** The campaign's own, an IANA name. */
  timezone: string | null;
  /** The span of its request, as `traceparent`. */
  trace: string | null;
  /** The agent of its calls was disabled since. */
  agent_disabled: boolean;
  /** The sender's last requests did not reach the platform: a response must be reported (`adjustSenders`). */
  was_unreachable: boolean;
  /** Of a sender of a test company its account: nothing leaves. Null of any other. */
  test_account: string | null;
  /** It goes by the platform's endpoint for marketing. */
  by_marketing_endpoint: boolean;
}

/** A notification leased to this worker, with what its gateway needs. */
export interface ClaimedNotification extends ClaimedCampaign {
  id: string;
  /** Proof of this very claim; goes back with the result. */
  fence: number;
  /** This attempt's number, from 1. */
  attempt: number;
  /** Seconds from when it was due until this claim, by the database's clock. */
  waited_s: number;
  /** Null where the recipient is known by a user id only. */
  number: string | null;
  user_id: string | null;
  message: unknown;
  expires_at: Date;
}

/** A message as `outbound.claim_notifications` returns it. */
type ClaimedMessage = [
  campaign_id: string,
  id: string,
  fence: number,
  attempt: number,
  number: string | null,
  user_id: string | null,
  message: unknown,
  expires_at: number,
  waited_s: number,
];

/** The result of one try; see `outbound.finish_notifications` for the effect of each outcome. */
export interface FinishedNotification {
  company_id: string;
  id: string;
  fence: number;
  attempt: number;
  /** ISO 8601. */
  started_at: string;
  outcome: "sent" | "failed" | "retry" | "not_sent" | "unknown" | "released" | "postponed" | "skipped";
  http_status: number | null;
  error_code: string | null;
  reason: string | null;
  platform_message_id: string | null;
  retry_in_s: number | null;
  /** Of a sent one: the platform holds it until it knows the template's quality. */
  held_for_quality?: true;
}

/** A change of the sender that a response requires; see `outbound.adjust_senders`. */
export interface SenderChange {
  company_id: string;
  sender_id: string;
  change: "reached" | "unreachable" | "slow_down" | "stop";
  reason?: string;
  /** Of a stop: the platform's code for it. */
  code?: string | null;
  /** Of a stop: the platform has locked the account. */
  locked?: boolean;
}

/** A template that the platform refuses, whatever the message. */
export interface StoppedTemplate {
  company_id: string;
  template_id: string;
  reason: string;
  /** When the refused try began, ISO 8601: a later approval stands. */
  at: string;
}

/** Claims up to `limit` notifications that are due, of all companies except those in `except`. */
export async function claimNotifications(
  sql: Sql,
  { worker, limit, leaseS, except = [] }: {
    worker: string;
    limit: number;
    leaseS: number;
    except?: string[];
  },
): Promise<ClaimedNotification[]> {
  const [row] = await sql<{ claimed: { campaigns: ClaimedCampaign[]; messages: ClaimedMessage[] } | null }[]>`
    select outbound.claim_notifications(
      ${worker}, ${limit}, make_interval(secs => ${leaseS}), ${except}::uuid[]) as claimed`;
  if (row!.claimed === null) return [];
  const { campaigns, messages } = row!.claimed;
  const byId = new Map(campaigns.map((campaign) => [campaign.campaign_id, campaign]));
  return messages.map((message) => claimedNotification(byId.get(message[0])!, message));
}

function claimedNotification(
  campaign: ClaimedCampaign,
  [, id, fence, attempt, number, user_id, message, expires_at, waited_s]: ClaimedMessage,
): ClaimedNotification {
  const own = { id, fence, attempt, number, user_id, message, expires_at: new Date(expires_at), waited_s };
  return { ...campaign, ...own };
}

/** Records results. Returns how many rows changed state: fewer than given when others had settled them already. */
export async function finishNotifications(
  sql: Sql,
  { worker, results, windowS }: { worker: string; results: FinishedNotification[]; windowS: number },
): Promise<number> {
  const [row] = await sql<{ changed: number }[]>`
    select outbound.finish_notifications(
      ${worker}, ${jsonParameter(sql, results)}, make_interval(secs => ${windowS})) as changed`;
  return row!.changed;
}

/** Applies changes to senders. */
export async function adjustSenders(sql: Sql, changes: SenderChange[]): Promise<void> {
  await sql`select outbound.adjust_senders(${jsonParameter(sql, changes)})`;
}

/** Disables a template; `settleTemplates` holds its campaigns. */
export async function stopTemplate(
  sql: Sql,
  { company_id, template_id, reason, at }: StoppedTemplate,
): Promise<void> {
  await sql`select outbound.stop_template(${company_id}, ${template_id}, ${reason}, ${at})`;
}

/** Holds the campaigns of every template that is no longer approved, and releases those of templates approved again. */
export async function settleTemplates(sql: Sql): Promise<void> {
  while (true) {
    const [row] = await sql<{ more: boolean }[]>`select outbound.settle_templates() as more`;
    if (!row!.more) return;
  }
}

/** Requests a template sync for the sender's account. */
export async function requestTemplateSync(
  sql: Sql,
  { company_id, sender_id }: { company_id: string; sender_id: string },
): Promise<void> {
  await sql`select outbound.request_template_sync(${company_id}, ${sender_id})`;
}

/** The ids of a notification. */
export type NotificationKey = Pick<ClaimedNotification, "company_id" | "id">;

/** Renews this worker's leases of `notifications`; a lease that ran out stays lost. */
export async function renewLeases(
  sql: Sql,
  { worker, leaseS, notifications }: {
    worker: string;
    leaseS: number;
    notifications: NotificationKey[];
  },
): Promise<void> {
  const companies = notifications.map(({ company_id }) => company_id);
  const ids = notifications.map(({ id }) => id);
  await sql`select outbound.renew_leases(${worker}, make_interval(secs => ${leaseS}), ${companies}, ${ids})`;
}

/**
 * Releases the notifications that this worker has claimed without knowing: claims whose responses were lost. Do not call
 * this while a claim is under way; `known` must contain everything that may have been sent. Returns how many it released.
 */
export async function releaseClaimed(
  sql: Sql,
  { worker, known }: { worker: string; known: NotificationKey[] },
): Promise<number> {
  const companies = known.map(({ company_id }) => company_id);
  const ids = known.map(({ id }) => id);
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

/** The steps of a tick, in their order. */
export const TICK_STEPS = ["rescue", "settle", "expire", "close", "schedules"];

/**
 * Does what time brings about: each step in a transaction of its own, so that one that fails keeps no other from its work;
 * the failure is thrown at the end. One caller at a time works, the others return at once. Returns the accounts whose
 * messages now wait for another window; null in a database that is not the one that works (`readCell`).
 */
export async function tick(sql: Sql, { windowS }: { windowS: number }): Promise<SilentAccount[] | null> {
  const silent: SilentAccount[] = [];
  const failures: unknown[] = [];
  for (const step of TICK_STEPS) {
    try {
      const [row] = await sql<{ did: { standby?: true; silent_accounts?: SilentAccount[] } }[]>`
        select outbound.tick_step(${step}, p_window => make_interval(secs => ${windowS})) as did`;
      if (row!.did.standby) return null;
      silent.push(...row!.did.silent_accounts ?? []);
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  return silent;
}

/** A chore of a dispatcher that `outbound.open_chores` looks for. */
export type OpenChore =
  | "tick"
  | "outages"
  | "events"
  | "account_events"
  | "template_events"
  | "replies"
  | "received_media"
  | "deliveries"
  | "pushes"
  | "agent_replies"
  | "stopping"
  | "resends"
  | "uploads"
  | "calls"
  | "people"
  | "history"
  | "budgets"
  | "voice_sessions";

/**
 * Returns the milliseconds until a message is due, by the database's clock, and null when none waits; and if asked for,
 * the chores that have something to do.
 */
export async function lookAhead(
  sql: Sql,
  { withChores = false }: { withChores?: boolean } = {},
): Promise<{ ms: number | null; chores: OpenChore[] | null }> {
  const [row] = await sql<{ ms: number | null; chores: OpenChore[] | null }[]>`
    select (extract(epoch from nullif(outbound.next_due(), 'infinity') - clock_timestamp()) * 1000)::float8 as ms,
      case when ${withChores} then outbound.open_chores() end as chores`;
  return row!;
}
