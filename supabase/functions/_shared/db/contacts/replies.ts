import type { Actor } from "../access/audit.ts";
import { jsonParameter, type Sql } from "../driver/connect.ts";

/** A reply that this dispatcher has leased. */
export interface ClaimedReply {
  company_id: string;
  id: string;
  /** Proof of this very claim; goes back with the result. */
  fence: number;
  /** This attempt's number, from 1. */
  attempt: number;
  number: string | null;
  user_id: string | null;
  kind: string;
  text: string | null;
  content: Record<string, unknown> | null;
  context_message_id: string | null;
  sender_id: string;
  platform_id: string;
  token_sealed: string | null;
  /** The span of its request, as `traceparent`. */
  trace: string | null;
}

export type ReplyKey = Pick<ClaimedReply, "company_id" | "id">;

/** The result of one attempt; see `outbound.finish_replies` for the effect of each outcome. */
export interface FinishedReply {
  company_id: string;
  id: string;
  fence: number;
  outcome: "sent" | "failed" | "retry" | "not_sent" | "released" | "unknown";
  platform_message_id: string | null;
  error_code: string | null;
  reason: string | null;
  retry_in_s: number | null;
}

/** Claims up to `limit` replies that are due, from each sender in turn, and none of the senders `except`. */
export async function claimReplies(
  sql: Sql,
  { worker, limit, leaseS, except = [] }: {
    worker: string;
    limit: number;
    leaseS: number;
    except?: string[];
  },
): Promise<ClaimedReply[]> {
  return await sql<ClaimedReply[]>`
    select * from outbound.claim_replies(${worker}, ${limit}, make_interval(secs => ${leaseS}), ${except}::uuid[])`;
}

/** Records results. Returns how many rows changed state. */
export async function finishReplies(
  sql: Sql,
  results: FinishedReply[],
  { windowS }: { windowS: number },
): Promise<number> {
  const [row] = await sql<{ changed: number }[]>`
    select outbound.finish_replies(${
    jsonParameter(sql, results)
  }, make_interval(secs => ${windowS})) as changed`;
  return row!.changed;
}

/**
 * Releases the replies that this worker has claimed without knowing, as `releaseClaimed` does notifications. Returns how
 * many it released.
 */
export async function releaseReplies(
  sql: Sql,
  { worker, known }: { worker: string; known: ReplyKey[] },
): Promise<number> {
  const companies = known.map(({ company_id }) => company_id);
  const ids = known.map(({ id }) => id);
  const [row] = await sql<{ released: number }[]>`
    select outbound.release_replies(${worker}, ${companies}, ${ids}) as released`;
  return row!.released;
}

/** Settles replies whose lease, wait or window is over. Returns how many. */
export async function settleReplies(sql: Sql, { windowS }: { windowS: number }): Promise<number> {
  const [row] = await sql<{ changed: number }[]>`
    select outbound.settle_replies(make_interval(secs => ${windowS})) as changed`;
  return row!.changed;
}

/** A report of the platform about a reply. Field names are those of `outbound.apply_reply_receipts`. */
export interface ReplyReceipt {
  waba_id: string;
  company_id: string;
  id: string;
  fence: number;
  platform_message_id: string;
  status: "sent" | "delivered" | "read" | "failed";
  error_code: string | null;
  reason: string | null;
}

/** Applies receipts; applying one twice changes nothing. */
export async function applyReplyReceipts(sql: Sql, receipts: ReplyReceipt[]): Promise<void> {
  await sql`select outbound.apply_reply_receipts(${JSON.stringify(receipts)}::text::json)`;
}

/** A reply as it is queued. Field names are those of `outbound.queue_reply`. */
export interface NewReply {
  id: string;
  number: string | null;
  user_id: string | null;
  recipient_id: string | null;
  kind: string;
  text: string | null;
  content: Record<string, unknown> | null;
  reply_to: string | null;
  /** The span of the request, as `traceparent`. */
  trace?: string | null;
}

export interface QueuedReply {
  outcome:
    | "queued"
    | "replayed"
    | "key_reused"
    | "unknown_sender"
    | "sender_locked"
    | "window_closed"
    | "unknown_message";
  /** The response, now or the first time. */
  answer: Record<string, unknown> | null;
  reason: string | null;
  last_message_at: Date | null;
  window_closes_at: Date | null;
}

/**
 * Queues a reply, if the person's window is open. A request with the same idempotency key queues nothing more.
 *
 * @param by who replies, and in which conversation if that is known, for the audit
 */
export async function queueReply(
  sql: Sql,
  companyId: string,
  reply: NewReply,
  idempotency: { endpoint: string; key: string; requestHash: string } | null,
  by: Actor & { subject?: string },
): Promise<QueuedReply> {
  const once = idempotency &&
    { endpoint: idempotency.endpoint, key: idempotency.key, request_hash: idempotency.requestHash };
  const [row] = await sql<QueuedReply[]>`
    with queued as materialized (
      select * from outbound.queue_reply(
        ${companyId}, ${jsonParameter(sql, { ...reply, actor: by.actor })}, ${
    once && jsonParameter(sql, once)
  })
    ),
    audited as materialized (
      select outbound.write_audit(${companyId}, ${by.actor}, 'conversation.replied', ${
    by.subject ?? null
  }, null,
        jsonb_build_object('message_id', ${reply.id}::text), ${by.requestId ?? null})
      from queued where queued.outcome = 'queued'
    )
    select queued.* from queued cross join (select count(*) from audited) as written`;
  return row!;
}
