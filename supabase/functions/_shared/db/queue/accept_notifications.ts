import type { Sql } from "../driver/connect.ts";
import { isNoConnection } from "../driver/silence.ts";
import { causeOf } from "../../error_cause.ts";
import type { Timing } from "../../scheduling/recipient_time.ts";

/** How the times of a campaign's notifications differ. */
export interface CampaignTiming extends Timing {
  /** The day that the request names, YYYY-MM-DD. */
  day?: string | undefined;
}

/** A checked request, ready to be stored. Field names are those of `outbound.accept_notifications`. */
export interface AcceptRequest {
  key_hash: string;
  permission: "chatapp_notifications" | "voice_notifications";
  /** Seconds after the due time during which the message is still sent. */
  ttl_s: number;
  campaign: {
    id: string;
    channel: "whatsapp" | "voice";
    name: string;
    notification_type: string;
    sender_id: string;
    template_id: string | null;
    template_name: string | null;
    template_language: string | null;
    template_shape: string | null;
    agent_id: string | null;
    name_event: string | null;
    /** ISO 8601, or null for at once. */
    scheduled_time: string | null;
    /** The request's own, an IANA name. */
    timezone?: string | null;
    /** How the times of its notifications differ, with the day that the request names; null where they do not. */
    timing?: CampaignTiming | null;
    /** The span of the request, as `traceparent`. */
    trace?: string | null;
    rejected: number;
    /** The campaign exists, and gets the notifications. Such a request needs `idempotency`. */
    is_addition?: boolean;
    /** The campaign stays open for more requests. */
    more?: boolean;
    /** The response says that the campaign is paused. */
    knows_paused?: boolean;
  };
  notifications: {
    id: string;
    number: string | null;
    user_id?: string | null;
    message: unknown;
    /** The client's own facts. */
    metadata?: Record<string, unknown> | null;
    /** When it is due; left out where that is the campaign's time. */
    run_at?: Date;
    /** Those of erased people are compared with them; only where the company has erased people. */
    hashes?: string[];
    /** The recipient as the request has it; not stored. */
    contact?: Record<string, unknown>;
  }[];
  /** The people whom the request names, of a company that learns them. */
  people?: NamedPerson[];
  /** The notifications have hashes, if they need any. */
  knows_erased?: boolean;
  /** The response names the recipients of whom no consent is known. */
  warned?: boolean;
  /** Only check whether it would be accepted. */
  dry_run?: boolean;
  /** Counts no request of the key; its notifications count as ever. */
  unmetered?: boolean;
  idempotency: { endpoint: string; key: string; request_hash: string; answer: unknown } | null;
}

/** A recipient whom a request names. */
export interface NamedPerson {
  company_id: string;
  number: string | null;
  user_id: string | null;
  person: { name?: string; email?: string; attributes?: Record<string, unknown> };
}

export type AcceptOutcome =
  | "accepted"
  | "acceptable"
  | "replayed"
  | "key_reused"
  | "unauthorized"
  | "forbidden"
  | "no_api_access"
  | "stale"
  | "campaign_not_found"
  | "campaign_cancelled"
  | "campaign_mismatch"
  | "recipients"
  | "campaign_paused"
  | "rate_limited"
  | "quota_exceeded"
  | "budget_exceeded";

/** A rule by which a recipient may not be written to, or, by the last, not without a warning. */
export type RecipientRule = "opted_out" | "no_consent" | "warn_no_consent";

export interface AcceptVerdict {
  outcome: AcceptOutcome;
  /** The first response, when `replayed`. */
  answer: unknown;
  /** The notifications whose recipients a rule concerns, when `recipients`. */
  recipients: { id: string; code: RecipientRule }[] | null;
  /** The first field in which the request differs from its campaign, when `campaign_mismatch`. */
  mismatch: { field: string; expected: string | null } | null;
  rate_limit: number;
  remaining: number;
  /** Seconds until the rate window is new. */
  reset_s: number;
  quota: number;
  quota_used: number;
}

/** Waits before a retry after the database became unavailable; a restart takes about as long. */
const RETRY_DELAYS_MS = [100, 400, 1500];
/** No retry begins later: each may take as long as the database's own time-outs. */
const MAX_RETRYING_MS = 3000;

/**
 * Stores any number of requests in one round trip and returns one verdict per request, in order. Another trip follows only
 * for requests that depend on others of the same batch. Retries when the database fails, unless it is silent: a request
 * that was stored although the query failed is not stored twice.
 */
export async function acceptNotifications(sql: Sql, requests: AcceptRequest[]): Promise<AcceptVerdict[]> {
  const verdicts = await acceptWithRetries(sql, requests);
  const open = verdicts.flatMap(({ outcome }, index) => outcome === "undecided" ? index : []);
  if (open.length === 0) return verdicts as AcceptVerdict[];
  const decided = await acceptNotifications(sql, open.map((index) => requests[index]!));
  open.forEach((index, position) => verdicts[index] = decided[position]!);
  return verdicts as AcceptVerdict[];
}

type Verdict = Omit<AcceptVerdict, "outcome"> & { outcome: AcceptOutcome | "undecided" };

async function acceptWithRetries(sql: Sql, requests: AcceptRequest[]): Promise<Verdict[]> {
  const startedAt = performance.now();
  for (const delay of RETRY_DELAYS_MS) {
    try {
      return await acceptOnce(sql, requests);
    } catch (error) {
      if (causeOf(error) !== "database" || isNoConnection(error)) throw error;
      if (performance.now() - startedAt + delay > MAX_RETRYING_MS) throw error;
      await new Promise((resolve) => setTimeout(resolve, delay));
    }
  }
  return await acceptOnce(sql, requests);
}

async function acceptOnce(sql: Sql, requests: AcceptRequest[]): Promise<Verdict[]> {
  const people = requests.flatMap((request, index) =>
    request.people?.map((person) => ({ ord: index + 1, ...person })) ?? []
  );
  if (people.length === 0) {
    return await sql<(Verdict & { ord: number })[]>`${accepting(sql, requests)} order by ord`;
  }
  return await sql<(Verdict & { ord: number })[]>`
    with accepted as materialized (${accepting(sql, requests)}),
    named as materialized (
      select outbound.name_people(${JSON.stringify(people)}::text::json, array(
        select a.ord from accepted as a where a.outcome = 'accepted'
      ))
    )
    select a.* from accepted as a cross join (select count(*) from named) as stored order by a.ord`;
}

function accepting(sql: Sql, requests: AcceptRequest[]) {
  const { keyHashes, sources, flatRequests } = flatten(requests);
  return sql`
    select * from outbound.accept_notifications(
      ${keyHashes}::text[], ${JSON.stringify(sources)}::text::json, ${
    JSON.stringify(flatRequests)
  }::text::json,
      ${JSON.stringify(requests.flatMap(flatNotifications))}::text::json, ${additionsOf(requests)}::uuid[]
    )`;
}

/** Returns the campaigns that requests add to; null for none. */
function additionsOf(requests: AcceptRequest[]): string[] | null {
  const additions = requests.filter(({ campaign }) => campaign.is_addition);
  return additions.length === 0 ? null : [...new Set(additions.map(({ campaign }) => campaign.id))];
}

/**
 * Flattens requests, because the database parses an object once per level, and takes out what they have in common. Leaves
 * out nulls, which the database reads where there is nothing: JSON has no undefined values.
 */
function flatten(requests: AcceptRequest[]) {
  const numbers = new Map<string, number>();
  const sources: Record<string, unknown>[] = [];
  const flatRequests = requests.map((request, index) => {
    const source = sourceOf(request);
    const id = JSON.stringify(source);
    if (!numbers.has(id)) numbers.set(id, sources.push({ source: sources.length + 1, ...source }));
    return flatRequest(request, index + 1, numbers.get(id)!);
  });
  const keyHashes = [...new Set(requests.map((request) => request.key_hash))];
  return { keyHashes, sources, flatRequests };
}

/** Returns the facts that a request was checked against. */
function sourceOf(request: AcceptRequest): Record<string, unknown> {
  const { campaign } = request;
  return {
    key_hash: request.key_hash,
    permission: request.permission,
    ttl_s: request.ttl_s,
    knows_erased: request.knows_erased,
    warned: request.warned,
    dry_run: request.dry_run,
    unmetered: request.unmetered,
    channel: campaign.channel,
    notification_type: campaign.notification_type,
    sender_id: campaign.sender_id,
    template_id: campaign.template_id ?? undefined,
    template_shape: campaign.template_shape ?? undefined,
    template_language: campaign.template_language ?? undefined,
    template_name: campaign.template_name ?? undefined,
    agent_id: campaign.agent_id ?? undefined,
  };
}

function flatRequest({ campaign, notifications, idempotency }: AcceptRequest, ord: number, source: number) {
  return {
    ord,
    source,
    size: notifications.length,
    id: campaign.id,
    name: campaign.name,
    name_event: campaign.name_event ?? undefined,
    scheduled_time: campaign.scheduled_time ?? undefined,
    timezone: campaign.timezone ?? undefined,
    timing: campaign.timing ?? undefined,
    trace: campaign.trace ?? undefined,
    rejected: campaign.rejected,
    is_addition: campaign.is_addition || undefined,
    more: campaign.more || undefined,
    knows_paused: campaign.knows_paused || undefined,
    endpoint: idempotency?.endpoint,
    idempotency_key: idempotency?.key,
    request_hash: idempotency?.request_hash,
    // As text, because the refused contacts in it may hold what the database's JSON cannot.
    answer: idempotency === null ? undefined : JSON.stringify(idempotency.answer),
  };
}

function flatNotifications({ notifications }: AcceptRequest, index: number) {
  return notifications.map(({ id, number, user_id, message, metadata, run_at, hashes }) => ({
    ord: index + 1,
    id,
    // JSON leaves out what is undefined.
    number: number ?? undefined,
    user_id: user_id ?? undefined,
    message,
    metadata: metadata ?? undefined,
    run_at,
    hashes,
  }));
}

export interface FirstResponse {
  request_hash: string;
  answer: unknown;
}

/** Returns the first response under an idempotency key in the last 24 hours. */
export async function readFirstResponse(
  sql: Sql,
  query: { keyHash: string; endpoint: string; key: string },
): Promise<FirstResponse | undefined> {
  const [row] = await sql<FirstResponse[]>`
    select * from outbound.read_idempotent_response(${query.keyHash}, ${query.endpoint}, ${query.key})`;
  return row;
}
