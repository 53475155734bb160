import type { ATTACHMENT_ERRORS, ReceivedMedia } from "../contacts/contact_messages.ts";
import type { Sql } from "../driver/connect.ts";

/** A file that a person sent, and that this dispatcher has leased to fetch and store it. */
export interface ClaimedMedia extends ReceivedMedia {
  company_id: string;
  message_id: string;
  /** This attempt's number, from 1, and the proof of the lease. */
  attempt: number;
  /** When its message arrived. */
  created_at: Date;
}

/** Leases up to `limit` files that are due to be fetched, one per company, and none of the companies `except`. */
export async function claimReceivedMedia(
  sql: Sql,
  { limit, leaseS, except }: { limit: number; leaseS: number; except: string[] },
): Promise<ClaimedMedia[]> {
  return await sql<ClaimedMedia[]>`
    select * from outbound.claim_received_media(${limit}, make_interval(secs => ${leaseS}), ${except}::uuid[])`;
}

/** A failed attempt to store a file. */
export interface MediaFailure {
  code: typeof ATTACHMENT_ERRORS[number];
  /** A sentence for members. */
  reason: string;
  /** Seconds until it is fetched again; null: never. */
  retryInS: number | null;
}

/** Records a failed attempt, if this dispatcher still has the lease. */
export async function failReceivedMedia(
  sql: Sql,
  { company_id, message_id, attempt }: ClaimedMedia,
  { code, reason, retryInS }: MediaFailure,
): Promise<void> {
  await sql`
    select outbound.fail_received_media(
      ${company_id}, ${message_id}, ${attempt}, ${code}, ${reason}, make_interval(secs => ${retryInS}))`;
}
