import type { Sql } from "../driver/connect.ts";

export const ATTACHMENT_STATES = ["stored", "waiting", "not_stored", "on_platform"] as const;
export const ATTACHMENT_ERRORS = ["gone", "too_large", "quota_exceeded", "not_clean", "unavailable"] as const;

/** The file of a person's message, as `outbound.attachment_of` returns it. */
export interface Attachment {
  state: typeof ATTACHMENT_STATES[number];
  /** Of a stored one. */
  content_type: string | null;
  bytes: number | null;
  /** Why the last attempt to store it failed. */
  error_code: typeof ATTACHMENT_ERRORS[number] | null;
  error_reason: string | null;
}

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
  /** out: who wrote it, as in the audit; null where that was not recorded. */
  actor: string | null;
  sender_id: string;
  number: string | null;
  user_id: string | null;
  kind: string;
  text: string | null;
  content: Record<string, unknown> | null;
  /** Null without a file of a person. */
  attachment: Attachment | null;
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
  /** The id of the last message of the page before. */
  after?: string | undefined;
  limit: number;
}

/**
 * Reads messages, the newest first. A person's are those under every known address of the person, each read by the index
 * of addresses up to a page. Returns null when `after` names no message.
 */
export async function readContactMessages(sql: Sql, query: MessagesQuery): Promise<ContactMessage[] | null> {
  const { companyId, number, userId, campaignId, after, limit } = query;
  const last = after === undefined ? undefined : await findCursor(sql, companyId, after);
  if (last === null) return null;
  const isPersons = number !== undefined || userId !== undefined;
  // Of a person's, the campaign is asked so that no index matches it: it would read the whole campaign.
  const ofCampaign = campaignId === undefined
    ? sql``
    : isPersons
    ? sql`and case when m.campaign_id = ${campaignId} then true end`
    : sql`and m.campaign_id = ${campaignId}`;
  const before = last === undefined
    ? sql``
    : sql`and (m.at, m.id) < (${last.at}::timestamptz, ${after!}::uuid)`;
  const messages = (ofAddress = sql``) =>
    sql`
      select m.* from outbound.contact_messages as m
      where m.company_id = ${companyId} ${ofAddress} ${ofCampaign} ${before}
      order by m.at desc${
      isPersons ? sql` fetch first ${limit} rows with ties` : sql`, m.id desc limit ${limit}`
    }`;
  const persons = () =>
    sql`
      select m.*
      from unnest(outbound.addresses_of_person(${companyId}, ${number ?? null}, ${
      userId ?? null
    }, null)) as known(address)
      cross join lateral (
        (${messages(sql`and m.number = known.address`)}) union all (${
      messages(sql`and m.user_id = known.address`)
    })
      ) as m`;
  return [
    ...await sql<ContactMessage[]>`
      -- A message to a number and a user id at once is found under both.
      select distinct on (m.at, m.id) m.id, m.direction, m.purpose, m.actor, m.sender_id, m.number, m.user_id, m.kind,
        m.text, m.content, m.status, m.platform_message_id, m.context_message_id, m.campaign_id, m.notification_id,
        m.error_code, m.error_reason, m.at,
        case when m.direction = 'in' and m.content ->> 'id' is not null
          then outbound.attachment_of(m.company_id, m.id) end as attachment
      from (${isPersons ? persons() : messages()}) as m
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
