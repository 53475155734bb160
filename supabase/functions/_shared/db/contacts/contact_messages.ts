import type { Sql } from "../driver/connect.ts";

export const MESSAGE_STATUSES = [
  "received",
  "queued",
  "sending",
  "unconfirmed",
  "sent",
  "delivered",
  "read",
  "failed",
] as const;

/** A message of a person, or one of ours to a person. */
export interface ContactMessage {
  id: string;
  direction: "in" | "out";
  purpose: "reply" | "opt_out_confirmation";
  sender_id: string;
  number: string | null;
  user_id: string | null;
  kind: string;
  text: string | null;
  content: Record<string, unknown> | null;
  status: typeof MESSAGE_STATUSES[number];
  platform_message_id: string | null;
  context_message_id: string | null;
  campaign_id: string | null;
  notification_id: string | null;
  error_code: string | null;
  error_reason: string | null;
  at: Date;
}

export interface MessagesQuery {
  companyId: string;
  number?: string | undefined;
  userId?: string | undefined;
  campaignId?: string | undefined;
  senderId?: string | undefined;
  /** The id of the last message of the page before. */
  after?: string | undefined;
  limit: number;
}

/**
 * Reads messages, the newest first. A person's are those under every known address of the person. Returns null when
 * `after` names no message.
 */
export async function readContactMessages(sql: Sql, query: MessagesQuery): Promise<ContactMessage[] | null> {
  const { companyId, number, userId, campaignId, senderId, after, limit } = query;
  const last = after === undefined ? undefined : await findCursor(sql, companyId, after);
  if (last === null) return null;
  const addresses = sql`outbound.addresses_of(${companyId}, ${number ?? null}, ${userId ?? null})`;
  const ofPerson = number === undefined && userId === undefined
    ? sql``
    : sql`and (m.number = any (${addresses}) or m.user_id = any (${addresses}))`;
  const ofCampaign = campaignId === undefined ? sql`` : sql`and m.campaign_id = ${campaignId}`;
  const ofSender = senderId === undefined ? sql`` : sql`and m.sender_id = ${senderId}`;
  const before = last === undefined
    ? sql``
    : sql`and (m.at, m.id) < (${last.at}::timestamptz, ${after!}::uuid)`;
  return [
    ...await sql<ContactMessage[]>`
      select m.id, m.direction, m.purpose, m.sender_id, m.number, m.user_id, m.kind, m.text, m.content, m.status,
        m.platform_message_id, m.context_message_id, m.campaign_id, m.notification_id, m.error_code,
        m.error_reason, m.at
      from outbound.contact_messages as m
      where m.company_id = ${companyId} ${ofPerson} ${ofCampaign} ${ofSender} ${before}
      order by m.at desc, m.id desc limit ${limit}`,
  ];
}

/** Text, because a Date has no microseconds. */
async function findCursor(sql: Sql, companyId: string, id: string): Promise<{ at: string } | null> {
  const [row] = await sql<{ at: string }[]>`
    select m.at::text as at from outbound.contact_messages as m
    where m.company_id = ${companyId} and m.id = ${id}`;
  return row ?? null;
}

/** A file that a person sent, with what is needed to fetch it from the platform. */
export interface ReceivedMedia {
  kind: string;
  content: Record<string, unknown> | null;
  sender_id: string;
  platform_id: string;
  token_sealed: string | null;
}

/** Returns a received message with its sender; undefined when the company has no such message. */
export async function findReceived(
  sql: Sql,
  companyId: string,
  messageId: string,
): Promise<ReceivedMedia | undefined> {
  const [row] = await sql<ReceivedMedia[]>`
    select m.kind, m.content, m.sender_id, s.platform_id, s.token_sealed
    from outbound.contact_messages as m
    join outbound.senders as s on s.company_id = m.company_id and s.id = m.sender_id
    where m.company_id = ${companyId} and m.id = ${messageId} and m.direction = 'in'`;
  return row;
}
