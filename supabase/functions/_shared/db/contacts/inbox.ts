import type { Actor } from "../access/audit.ts";
import { jsonParameter, type Sql } from "../driver/connect.ts";
import { type Attachment, readContactMessages } from "./contact_messages.ts";
import { closeConversation } from "../widgets/conversations.ts";

export const INBOX_KINDS = ["chat", "whatsapp"] as const;
export const INBOX_STATES = ["unanswered", "answered", "closed"] as const;

/** A conversation of the inbox: a chat of a widget, or what a person and a sender write to each other. */
export interface InboxConversation {
  conversation_id: string;
  kind: typeof INBOX_KINDS[number];
  state: typeof INBOX_STATES[number];
  assigned_to: string | null;
  labels: string[];
  /** Of a chat: when its visitor asked for a person. */
  handoff_requested_at: Date | null;
  /** The last message; its text is cut. */
  last_author: "contact" | "company";
  last_text: string | null;
  /** Of a message of the company: who wrote it, as in the audit; null where that was not recorded. */
  last_actor: string | null;
  last_purpose: InboxMessage["purpose"];
  last_message_at: Date;
  created_at: Date;
  /** Of a chat: the visitor, where the website's server has signed who that is. */
  contact_id: string | null;
  widget_id: string | null;
  page_url: string | null;
  page_title: string | null;
  language: string | null;
  /** The address that the visitor left; nothing confirms it. */
  email: string | null;
  consent: { text: string; link: string | null; accepted_at: string } | null;
  rating: ConversationRating | null;
  /** Of WhatsApp. */
  sender_id: string | null;
  number: string | null;
  user_id: string | null;
  last_inbound_at: Date | null;
  /** The sort key of the list: microseconds since 1970. */
  sort_key: string;
}

/** A visitor's rating of a chat. */
export interface ConversationRating {
  /** 1 to 5. */
  rating: number;
  comment: string | null;
  rated_at: string;
}

export interface InboxQuery {
  companyId: string;
  kind?: InboxConversation["kind"] | undefined;
  state?: InboxConversation["state"] | undefined;
  /** A user's id, or `none`. */
  assignedTo?: string | undefined;
  label?: string | undefined;
  /** Only those with this contact. */
  contactId?: string | undefined;
  /** The sort key and id of the last one of the page before. */
  after?: { sort_key: string; id: string } | undefined;
  limit: number;
}

/** How much of the last message a list shows. */
const PREVIEW_LENGTH = 200;

function chats(sql: Sql) {
  return sql`
    select c.id as conversation_id, 'chat' as kind, c.state, c.assigned_to, c.labels,
      case when m.author = 'visitor' then 'contact' else 'company' end as last_author, c.handoff_requested_at,
      left(m.text, ${PREVIEW_LENGTH}) as last_text, m.actor as last_actor, 'reply' as last_purpose,
      c.last_message_at, c.created_at, c.contact_id, c.widget_id,
      c.page_url, c.page_title, c.language, c.visitor_email as email, c.consent,
      case when c.rating is not null then jsonb_build_object(
        'rating', c.rating, 'comment', c.rating_comment, 'rated_at', outbound.iso_time(c.rated_at)) end as rating,
      null::uuid as sender_id,
      null as number, null as user_id, null::timestamptz as last_inbound_at, (extract(epoch from c.last_message_at) * 1000000)::bigint::text as sort_key
    from outbound.conversations as c
    left join lateral (
      select o.text, o.actor, o.author from outbound.conversation_messages as o
      where o.company_id = c.company_id and o.conversation_id = c.id and o.sequence = c.last_sequence limit 1
    ) as m on true`;
}

function threads(sql: Sql) {
  return sql`
    select t.id as conversation_id, 'whatsapp' as kind, t.state, t.assigned_to, t.labels,
      case when t.last_direction = 'in' then 'contact' else 'company' end as last_author,
      null::timestamptz as handoff_requested_at,
      left(m.text, ${PREVIEW_LENGTH}) as last_text, m.actor as last_actor, m.purpose as last_purpose, t.last_message_at,
      t.created_at, null::uuid as contact_id, null::uuid as widget_id, null as page_url, null as page_title,
      null as language, null as email, null::jsonb as consent, null::jsonb as rating, t.sender_id, m.number, m.user_id,
      t.last_inbound_at, (extract(epoch from t.last_message_at) * 1000000)::bigint::text as sort_key
    from outbound.contact_threads as t
    cross join lateral (
      select * from outbound.contact_messages as o where o.company_id = t.company_id and o.id = t.last_message_id limit 1
    ) as m`;
}

/** Returns a page of a company's inbox, the last message first. Each kind is read in the order of an index. */
export async function readInbox(sql: Sql, query: InboxQuery): Promise<InboxConversation[]> {
  const { companyId, kind, state, assignedTo, label, contactId, after, limit } = query;
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
      label === undefined ? sql`` : sql`and ${column("labels")} <> '{}'
          and outbound.tag_terms(${column("company_id")}, ${column("labels")})
            @> outbound.tag_terms(${companyId}, array[${label}::text])
          and ${label} = any (${column("labels")})`
    }
        ${
      contactId === undefined
        ? sql``
        : sql`and ${column("id")} = any (array(${
          (name === "c" ? chatsOf : threadsOf)(sql, companyId, contactId)
        }))`
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

function chatsOf(sql: Sql, companyId: string, contactId: string) {
  return sql`select o.id from outbound.conversations as o where o.company_id = ${companyId} and o.contact_id = ${contactId}`;
}

/** A thread is found by its sender and the address that its person was first known by. */
function threadsOf(sql: Sql, companyId: string, contactId: string) {
  return sql`
    select o.id from outbound.senders as s
    cross join outbound.contact_addresses as a
    cross join lateral (
      select i.id from outbound.contact_threads as i
      where i.sender_id = s.id and i.address = a.address and i.company_id = ${companyId} limit 1
    ) as o
    where s.company_id = ${companyId} and a.company_id = ${companyId} and a.contact_id = ${contactId}`;
}

/** The person that a conversation is with. */
export interface InboxContact {
  contact_id: string;
  name: string | null;
}

/** Returns who conversations are with, by the conversations' ids, as far as the company knows. */
export async function readInboxContacts(
  sql: Sql,
  companyId: string,
  conversations: Pick<InboxConversation, "conversation_id" | "contact_id" | "number" | "user_id">[],
): Promise<Map<string, InboxContact>> {
  if (conversations.length === 0) return new Map();
  const people = conversations.map(({ conversation_id, contact_id, number, user_id }) => (
    { conversation_id, contact_id, number, user_id }
  ));
  const idOf = (kind: "number" | "user_id") =>
    sql`(
      select a.contact_id from outbound.contact_addresses as a
      where a.company_id = ${companyId} and a.kind = ${kind} and a.address = ${sql(`p.${kind}`)}
    )`;
  const rows = await sql<(InboxContact & { conversation_id: string })[]>`
    select p.conversation_id, c.contact_id, c.name
    from jsonb_to_recordset(${jsonParameter(sql, people)})
      as p(conversation_id uuid, contact_id uuid, number text, user_id text)
    cross join lateral (
      select o.id as contact_id, o.name from outbound.contacts as o
      where o.company_id = ${companyId} and o.id = coalesce(p.contact_id, ${idOf("user_id")}, ${
    idOf("number")
  }) limit 1
    ) as c`;
  return new Map(
    rows.map(({ conversation_id, contact_id, name }) => [conversation_id, { contact_id, name }]),
  );
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
  return (await findInboxConversations(sql, companyId, [conversationId]))[0];
}

/** Returns the conversations of a company's inbox with these ids, in no order. */
export async function findInboxConversations(
  sql: Sql,
  companyId: string,
  ids: string[],
): Promise<InboxConversation[]> {
  if (ids.length === 0) return [];
  return await sql<InboxConversation[]>`
    ${chats(sql)} where c.company_id = ${companyId} and c.id = any (${ids}::uuid[]) and c.last_sequence > 0
    union all
    ${threads(sql)} where t.company_id = ${companyId} and t.id = any (${ids}::uuid[])`;
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

/** Opens a thread again that was closed. Returns whether it was closed. */
export async function reopenThread(
  sql: Sql,
  { companyId, conversationId }: InboxIds,
  { actor, requestId }: Actor,
): Promise<boolean> {
  const rows = await sql`
    with opened as (
      update outbound.contact_threads as t set status = 'open'
      where t.company_id = ${companyId} and t.id = ${conversationId} and t.status = 'closed'
      returning t.id
    )
    select outbound.write_audit(${companyId}, ${actor}, 'conversation.reopened', opened.id::text, null, null,
      ${requestId ?? null})
    from opened`;
  return rows.length > 0;
}

/** Sets the labels of a conversation of either kind, with a row in the audit if that changes them. */
export async function labelConversation(
  sql: Sql,
  { companyId, conversationId, kind, labels }: InboxIds & {
    kind: InboxConversation["kind"];
    labels: string[];
  },
  { actor, requestId }: Actor,
): Promise<void> {
  const table = sql(kind === "chat" ? "outbound.conversations" : "outbound.contact_threads");
  await sql`
    with before as materialized (
      select c.labels from ${table} as c
      where c.company_id = ${companyId} and c.id = ${conversationId} for no key update
    ),
    changed as (
      update ${table} as c set labels = ${labels}::text[] from before
      where c.company_id = ${companyId} and c.id = ${conversationId} and before.labels <> ${labels}::text[]
    )
    select outbound.audit_change(${companyId}, ${actor}, 'conversation.labelled', ${conversationId}::text,
      jsonb_build_object('labels', before.labels), jsonb_build_object('labels', ${labels}::text[]),
      ${requestId ?? null})
    from before`;
}

/** A message of a conversation that contains a text. */
export interface FoundMessage {
  message_id: string;
  conversation_id: string;
  kind: InboxConversation["kind"];
  from_contact: boolean;
  text: string;
  at: Date;
  /** False where some messages were not looked at. */
  is_complete: boolean;
}

/** Returns the newest messages of a company's conversations whose beginning contains `text`, of three characters or more. */
export async function searchMessages(
  sql: Sql,
  { companyId, text, limit }: { companyId: string; text: string; limit: number },
): Promise<FoundMessage[]> {
  return await sql<FoundMessage[]>`select * from outbound.search_messages(${companyId}, ${text}, ${limit})`;
}

/** A message of a conversation, of either kind. */
export interface InboxMessage {
  message_id: string;
  author: "contact" | "company" | "system";
  /** Of a message of the company: who wrote it, as in the audit; null where that was not recorded. */
  actor: string | null;
  /** The service writes the confirmation of an opt-out itself. */
  purpose: "reply" | "opt_out_confirmation";
  /** The notification that it replies to. */
  notification_id: string | null;
  kind: string;
  text: string | null;
  content: Record<string, unknown> | null;
  /** Null without a file of a person. */
  attachment: Attachment | null;
  status: string | null;
  error_code: string | null;
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
        m.actor, 'reply' as purpose, null::uuid as notification_id,
        case split_part(m.content #>> '{file,content_type}', '/', 1)
          when 'image' then 'image' when 'audio' then 'audio' when 'video' then 'video'
          else case when m.content ? 'file' then 'document' else 'text' end
        end as kind,
        nullif(m.text, m.content #>> '{file,file_name}') as text, nullif(m.content, '{}') as content,
        null::jsonb as attachment,
        case when m.author = 'operator' then case when m.sequence <= c.visitor_read then 'read' else 'sent' end end as status,
        null as error_code, null as error_reason, m.created_at as at
      from outbound.conversations as c
      join outbound.conversation_messages as m on m.company_id = c.company_id and m.conversation_id = c.id
      where c.company_id = ${companyId} and c.id = ${id}
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
