import { type Actor, writeAudit } from "./audit.ts";
import type { Sql } from "./connect.ts";
import { closeConversation } from "./widgets/conversations.ts";

export const INBOX_KINDS = ["chat", "whatsapp"] as const;
export const INBOX_STATES = ["unanswered", "answered", "closed"] as const;

/** A conversation of the inbox: a chat of a widget, or what a person and a sender write to each other. */
export interface InboxConversation {
  id: string;
  kind: typeof INBOX_KINDS[number];
  state: typeof INBOX_STATES[number];
  assignedTo: string | null;
  /** The last message; its text is cut. */
  lastAuthor: "contact" | "company";
  lastText: string | null;
  lastMessageAt: Date;
  createdAt: Date;
  /** Of a chat. */
  widgetId: string | null;
  pageUrl: string | null;
  pageTitle: string | null;
  language: string | null;
  /** Of WhatsApp. */
  senderId: string | null;
  number: string | null;
  userId: string | null;
  lastInboundAt: Date | null;
  /** The place in the list, with microseconds. */
  place: string;
}

export interface InboxQuery {
  companyId: string;
  kind?: InboxConversation["kind"] | undefined;
  state?: InboxConversation["state"] | undefined;
  /** A user's id, or `none`. */
  assignedTo?: string | undefined;
  /** The place and id of the last one of the page before. */
  after?: { place: string; id: string } | undefined;
  limit: number;
}

/** How much of the last message a list shows. */
const PREVIEW_LENGTH = 200;

function chats(sql: Sql) {
  return sql`
    select c.id, 'chat' as kind, c.state, c.assigned_to as "assignedTo",
      case when c.last_author = 'visitor' then 'contact' else 'company' end as "lastAuthor",
      (
        select left(m.text, ${PREVIEW_LENGTH}) from outbound.conversation_messages as m
        where m.company_id = c.company_id and m.conversation_id = c.id and m.sequence = c.last_sequence
      ) as "lastText",
      c.last_message_at as "lastMessageAt", c.created_at as "createdAt", c.widget_id as "widgetId",
      c.page_url as "pageUrl", c.page_title as "pageTitle", c.language, null::uuid as "senderId",
      null as number, null as "userId", null::timestamptz as "lastInboundAt", c.last_message_at::text as place
    from outbound.conversations as c`;
}

function threads(sql: Sql) {
  return sql`
    select t.id, 'whatsapp' as kind, t.state, t.assigned_to as "assignedTo",
      case when t.last_direction = 'in' then 'contact' else 'company' end as "lastAuthor",
      left(m.text, ${PREVIEW_LENGTH}) as "lastText", t.last_message_at as "lastMessageAt",
      t.created_at as "createdAt", null::uuid as "widgetId", null as "pageUrl", null as "pageTitle",
      null as language, t.sender_id as "senderId", m.number, m.user_id as "userId",
      t.last_inbound_at as "lastInboundAt", t.last_message_at::text as place
    from outbound.contact_threads as t
    join outbound.contact_messages as m on m.company_id = t.company_id and m.id = t.last_message_id`;
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
        ? sql`and (${column("last_message_at")}, ${column("id")}) < (${after.place}::timestamptz, ${after.id}::uuid)`
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
    order by "lastMessageAt" desc, id desc limit ${limit}`;
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

/** What came of an assignment. */
export type AssignOutcome = "assigned" | "unchanged" | "not_a_member" | null;

/** Gives a conversation to a member, or to nobody. Null when there is no such conversation. */
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

/** Closes a thread of WhatsApp until one side writes again. Returns whether it was open. */
export async function closeThread(
  sql: Sql,
  { companyId, conversationId }: InboxIds,
  by: Actor,
): Promise<boolean> {
  return await sql.begin(async (transaction) => {
    const on = transaction as unknown as Sql;
    const [row] = await on<{ status: string | null }[]>`
      select outbound.close_thread(${companyId}, ${conversationId}) as status`;
    if (row!.status !== "open") return false;
    await writeAudit(on, companyId, { ...by, action: "conversation.closed", subject: conversationId });
    return true;
  });
}

/** Closes a conversation of either kind. Returns whether it was open. */
export async function closeInboxConversation(
  sql: Sql,
  { kind, ...ids }: InboxIds & { kind: InboxConversation["kind"] },
  by: Actor,
): Promise<boolean> {
  return kind === "chat" ? await closeConversation(sql, ids, by) ?? false : await closeThread(sql, ids, by);
}
