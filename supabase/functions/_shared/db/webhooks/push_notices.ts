import type { Leased } from "../../sending/queue.ts";
import { jsonParameter, type Sql } from "../driver/connect.ts";

/** A notification for one browser, leased to this worker. Field names are those of `outbound.claim_push_notices`. */
export interface ClaimedPush extends Leased {
  user_id: string;
  subscription_id: string;
  id: string;
  conversation_id: string;
  kind: "chat" | "whatsapp" | "handoff";
  /** This attempt's number, from 1. */
  attempt: number;
  /** How long the push service may keep it, in seconds. */
  ttl_s: number;
  company_name: string;
  endpoint: string;
  /** The host of the push service. */
  service: string;
  p256dh: string;
  auth: string;
  language: string;
}

/** The result of one attempt; see `outbound.finish_push_notices` for the effect of each outcome. */
export interface FinishedPush extends Pick<ClaimedPush, "company_id" | "user_id" | "subscription_id" | "id"> {
  outcome: "sent" | "failed" | "retry" | "gone";
  retry_in_s: number | null;
  /** For the log. */
  reason: string | null;
}

/** Leases up to `limit` notifications that are due, `limitEach` of a company and of a push service. */
export async function claimPushes(
  sql: Sql,
  { worker, limit, limitEach, leaseS, exceptCompanies, exceptServices }: {
    worker: string;
    limit: number;
    limitEach: number;
    leaseS: number;
    exceptCompanies: string[];
    exceptServices: string[];
  },
): Promise<ClaimedPush[]> {
  return await sql<ClaimedPush[]>`
    select c.*, null::text as trace from outbound.claim_push_notices(
      ${worker}, ${limit}, ${limitEach}, make_interval(secs => ${leaseS}), ${exceptCompanies}::uuid[],
      ${exceptServices}::text[]) as c`;
}

/** Records results. Changes nothing that another worker has claimed since. */
export async function finishPushes(
  sql: Sql,
  { worker, results }: { worker: string; results: FinishedPush[] },
): Promise<void> {
  await sql`select outbound.finish_push_notices(${worker}, ${jsonParameter(sql, results)})`;
}
