import type { Sql } from "./connect.ts";
import { causeOf } from "./error_cause.ts";

/** A checked request, ready to be stored. Field names are those of `outbound.accept_notifications`. */
export interface AcceptRequest {
  key_hash: string;
  permission: "chatapp_notifications" | "voice_notifications";
  /** Seconds after the due time during which sending still makes sense. */
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
    rejected: number;
  };
  notifications: { id: string; number: string; message: unknown }[];
  idempotency: { endpoint: string; key: string; request_hash: string; answer: unknown } | null;
}

export type AcceptOutcome =
  | "accepted"
  | "replayed"
  | "key_reused"
  | "unauthorized"
  | "forbidden"
  | "no_api_access"
  | "stale"
  | "rate_limited"
  | "quota_exceeded";

export interface AcceptVerdict {
  outcome: AcceptOutcome;
  /** The first answer, when `replayed`. */
  answer: unknown;
  rate_limit: number;
  remaining: number;
  /** Seconds until the rate window is new. */
  reset_s: number;
  quota: number;
  quota_used: number;
}

/** Waits before asking again after the database went away; a restart takes about as long. */
const TRY_AGAIN_MS = [100, 400, 1500];
/** No try begins later: each may take as long as the database's own time-outs. */
const MAX_TRYING_MS = 3000;

/**
 * Stores any number of requests in one round trip; one verdict a request, in order. Another trip follows only for those
 * that hang on others of the same call. Asks again when the database fails, which is not the
 * request's fault: what was stored without our hearing of it is not stored twice.
 */
export async function acceptNotifications(sql: Sql, requests: AcceptRequest[]): Promise<AcceptVerdict[]> {
  const verdicts = await acceptPatiently(sql, requests);
  const open = verdicts.flatMap(({ outcome }, index) => outcome === "undecided" ? index : []);
  if (open.length === 0) return verdicts as AcceptVerdict[];
  const decided = await acceptNotifications(sql, open.map((index) => requests[index]!));
  open.forEach((index, place) => verdicts[index] = decided[place]!);
  return verdicts as AcceptVerdict[];
}

type Verdict = Omit<AcceptVerdict, "outcome"> & { outcome: AcceptOutcome | "undecided" };

async function acceptPatiently(sql: Sql, requests: AcceptRequest[]): Promise<Verdict[]> {
  const startedAt = performance.now();
  for (const delay of TRY_AGAIN_MS) {
    try {
      return await acceptOnce(sql, requests);
    } catch (error) {
      if (causeOf(error) !== "database") throw error;
      if (performance.now() - startedAt + delay > MAX_TRYING_MS) throw error;
      await new Promise((resolve) => setTimeout(resolve, delay));
    }
  }
  return await acceptOnce(sql, requests);
}

async function acceptOnce(sql: Sql, requests: AcceptRequest[]): Promise<Verdict[]> {
  const keyHashes = [...new Set(requests.map((request) => request.key_hash))];
  return await sql<(Verdict & { ord: number })[]>`
    select * from outbound.accept_notifications(
      ${keyHashes}::text[], ${JSON.stringify(requests.map(flatRequest))}::text::json,
      ${JSON.stringify(requests.flatMap(flatNotifications))}::text::json
    ) order by ord`;
}

/** Flat, because the database goes through the whole of an object once more for each level. */
function flatRequest({ campaign, notifications, idempotency, ...rest }: AcceptRequest, index: number) {
  return {
    ord: index + 1,
    ...rest,
    size: notifications.length,
    ...campaign,
    ...(idempotency && {
      endpoint: idempotency.endpoint,
      idempotency_key: idempotency.key,
      request_hash: idempotency.request_hash,
      answer: idempotency.answer,
    }),
  };
}

function flatNotifications({ notifications }: AcceptRequest, index: number) {
  return notifications.map((notification) => ({ ord: index + 1, ...notification }));
}
