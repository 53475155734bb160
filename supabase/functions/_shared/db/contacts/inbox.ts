import type { Actor } from "../access/audit.ts";
import type { Sql } from "../driver/connect.ts";
import { readContactMessages } from "./contact_messages.ts";
import { closeConversation } from "../widgets/conversations.ts";

export const INBOX_KINDS = ["chat", "whatsapp"] as const;
export const INBOX_STATES = ["unanswered", "answered", "closed"] as const;

/** A conversation of the inbox: a chat of a widget, or what a person and a sender write to each other. */
export interface InboxConversation {
  conversation_id: string;
  kind: typeof INBOX_KINDS[number];
  state: typeof INBOX_STATES[number];
  assigned_to: string | null;
  /** The last message; its text is cut. */
  last_author: "contact" | "company";
  last_text: string | null;
  last_message_at: Date;
  created_at: Date;
  /** Of a chat. */
  widget_id: string | null;
  page_url: string | null;
  page_title: string | null;
  language: string | null;
  /** Of WhatsApp. */
  sender_id: string | null;
  number: string | null;
  user_id: string | null;
  last_inbound_at: Date | null;
  /** The sort key of the list: microseconds since 1970. */
  sort_key: string;
}

export interface InboxQuery {
  companyId: string;
  kind?: InboxConversation["kind"] | undefined;
  state?: InboxConversation["state"] | undefined;
  /** A user's id, or `none`. */
  assignedTo?: string | undefined;
  /** The sort key and id of the last one of the page before. */
  after?: { sort_key: string; id: string } | undefined;
  limit: number;
}

/** How much of the last message a list shows. */
const PREVIEW_LENGTH = 200;

function chats(sql: Sql) {
  return sql`
    select c.id as conversation_id, 'chat' as kind, c.state, c.assigned_to,
      case when c.last_author = 'visitor' then 'contact' else 'company' end as last_author,
      (
        select left(m.text, ${PREVIEW_LENGTH}) from outbound.conversation_messages as m
        where m.company_id = c.company_id and m.conversation_id = c.id and m.sequence = c.last_sequence
      ) as last_text,
      c.last_message_at, c.created_at, c.widget_id,
      c.page_url, c.page_title, c.language, null::uuid as sender_id,
      null as number, null as user_id, null::timestamptz as last_inbound_at, (extract(epoch from c.last_message_at) * 1000000)::bigint::text as sort_key
    from outbound.conversations as c`;
}

function threads(sql: Sql) {
  return sql`
    select t.id as conversation_id, 'whatsapp' as kind, t.state, t.assigned_to,
      case when t.last_direction = 'in' then 'contact' else 'company' end as last_author,
      left(m.text, ${PREVIEW_LENGTH}) as last_text, t.last_message_at,
      t.created_at, null::uuid as widget_id, null as page_url, null as page_title,
      null as language, t.sender_id, m.number, m.user_id,
      t.last_inbound_at, (extract(epoch from t.last_message_at) * 1000000)::bigint::text as sort_key
    from outbound.contact_threads as t
    cross join lateral (
      select * from outbound.contact_messages as o where o.company_id = t.company_id and o.id = t.last_message_id limit 1
    ) as m`;
}

/** Returns a page of a company's inbox, the last message first. Each kind is read in the order of an index. */
export async function readInbox(sql: Sql, query: InboxQuery): Promise<InboxConversation[]> {
  const { companyId, kind, state, assignedTo, after, limit } = query;
  const page = (name: "c" | "t") => {
    const column = (field: string) => sql(`${name}.${field}`);
    return sql`
      where ${column("company_id")} = ${companyId}
        ${state ? sql`and ${column("state")} = ${state}` : sql``}
        ${
      assignedTo === undefined
        ? sql``
        : assignedTo === "none"
        ? sql`and ${column("assigned_to")} is null`
        : sql`and ${column("assigned_to")} = ${assignedTo}`
    }
        ${
      after
        ? sql`and (${column("last_message_at")}, ${
          column("id")
        }) < (to_timestamp(${after.sort_key}::float8 / 1000000), ${after.id}::uuid)`
        : sql``
    }
        ${name === "c" ? sql`and c.last_sequence > 0` : sql``}
      order by ${column("last_message_at")} desc, ${column("id")} desc limit ${limit}`;
  };
  const ofChats = sql`(${chats(sql)} ${page("c")})`;
  const ofThreads = sql`(${threads(sql)} ${page("t")})`;
  return await sql<InboxConversation[]>`
    select * from (${
    kind === "chat" ? ofChats : kind === "whatsapp" ? ofThreads : sql`${ofChats} union all ${ofThreads}`
  }) as inbox
    order by last_message_at desc, conversation_id desc limit ${limit}`;
}

export interface InboxIds {
  companyId: string;
  conversationId: string;
}

/** Returns a conversation of a company's inbox; undefined when it has none with this id. */
export async function findInboxConversation(
  sql: Sql,
  { companyId, conversationId }: InboxIds,
): Promise<InboxConversation | undefined> {
  const [row] = await sql<InboxConversation[]>`
    ${chats(sql)} where c.company_id = ${companyId} and c.id = ${conversationId} and c.last_sequence > 0
    union all
    ${threads(sql)} where t.company_id = ${companyId} and t.id = ${conversationId}`;
  return row;
}

/** The result of an assignment. */
export type AssignOutcome = "assigned" | "unchanged" | "not_a_member" | null;

/** Assigns a conversation to a member, or removes the assignment. Null when there is no such conversation. */
export async function assignConversation(
  sql: Sql,
  { companyId, conversationId, kind, member }: InboxIds & {
    kind: InboxConversation["kind"];
    member: string | null;
  },
  { actor, requestId }: Actor,
): Promise<AssignOutcome> {
  const [row] = await sql<{ outcome: AssignOutcome }[]>`
    select outbound.assign_conversation(
      ${companyId}, ${kind}, ${conversationId}, ${member}, ${actor}, ${requestId ?? null}) as outcome`;
  return row!.outcome;
}

/** Closes a conversation of either kind. Returns whether it was open. */
export async function closeInboxConversation(
  sql: Sql,
  { kind, ...ids }: InboxIds & { kind: InboxConversation["kind"] },
  by: Actor,
): Promise<boolean> {
  return kind === "chat" ? await closeConversation(sql, ids, by) ?? false : await closeThread(sql, ids, by);
}

/** A thread is closed until one side writes again. */
async function closeThread(
  sql: Sql,
  { companyId, conversationId }: InboxIds,
  { actor, requestId }: Actor,
): Promise<boolean> {
  const [row] = await sql<{ status: string | null }[]>`
    with closed as materialized (select outbound.close_thread(${companyId}, ${conversationId}) as status),
    audited as materialized (
      select outbound.write_audit(${companyId}, ${actor}, 'conversation.closed', ${conversationId}::text, null, null,
        ${requestId ?? null})
      from closed where closed.status = 'open'
    )
    select closed.status from closed cross join (select count(*) from audited) as written`;
  return row!.status === "open";
}

/** A message of a conversation, of either kind. */
export interface InboxMessage {
  message_id: string;
  author: "contact" | "company" | "system";
  kind: string;
  text: string | null;
  content: Record<string, unknown> | null;
  status: string | null;
  error_reason: string | null;
  at: Date;
}

/** Returns a page of a conversation's messages, newest first. */
export async function readInboxMessages(
  sql: Sql,
  conversation: Pick<InboxConversation, "conversation_id" | "kind" | "sender_id" | "number" | "user_id">,
  { companyId, after, limit }: { companyId: string; after?: string | undefined; limit: number },
): Promise<InboxMessage[]> {
  const { conversation_id: id, kind, sender_id: senderId, number, user_id: userId } = conversation;
  if (kind === "chat") {
    return await sql<InboxMessage[]>`
      select m.id as message_id, case m.author when 'visitor' then 'contact' when 'operator' then 'company' else m.author end as author,
        'text' as kind, m.text, null::jsonb as content, null as status, null as error_reason, m.created_at as at
      from outbound.conversation_messages as m
      where m.company_id = ${companyId} and m.conversation_id = ${id}
        ${
      after
        ? sql`and m.sequence < (
            select o.sequence from outbound.conversation_messages as o
            where o.company_id = ${companyId} and o.conversation_id = ${id} and o.id = ${after})`
        : sql``
    }
      order by m.sequence desc limit ${limit}`;
  }
  const query = { companyId, senderId: senderId!, number: number ?? undefined, userId: userId ?? undefined };
  const messages = await readContactMessages(sql, { ...query, after, limit }) ?? [];
  return messages.map(({ id, direction, ...message }) => ({
    ...message,
    message_id: id,
    author: direction === "in" ? "contact" : "company",
  }));
}
