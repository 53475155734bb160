import type { Actor } from "../access/audit.ts";
import { jsonParameter, type Sql } from "../driver/connect.ts";
import type { NoCap, ReachedCap } from "./visitor_limits.ts";

export type MessageAuthor = "visitor" | "operator" | "system";
export type ConversationStatus = "open" | "closed";

/** Fields that a message has beside its text, as responses show them. */
export interface MessageContent {
  [field: string]: unknown;
}

/** The person or machine that writes for the company, as visitors see them. */
export interface MessageSender {
  name: string;
  avatar_url?: string | undefined;
  is_machine?: boolean | undefined;
}

/** A message as every response shows it. */
export interface Message extends MessageContent {
  id: string;
  /** Counts from 1 within the conversation, without gaps. */
  sequence: number;
  author: MessageAuthor;
  text: string;
  created_at: string;
  client_message_id: string | null;
  sender?: MessageSender;
}

export interface ConversationIds {
  companyId: string;
  conversationId: string;
}

export interface NewConversation {
  companyId: string;
  widgetId: string;
  userId: string;
  tokenHash: string;
  language: string | null;
  pageUrl: string | null;
  pageTitle: string | null;
  /** The text that the visitor accepted, and its link; null where the widget asks for nothing. */
  consent?: { text: string; link: string | null } | null;
}

/** The id of a conversation that was opened, or the daily cap that prevented it. */
export type OpenOutcome = NoCap & { id: string } | ReachedCap & { id: null };

/** Opens a conversation and counts it. */
export async function openConversation(sql: Sql, made: NewConversation): Promise<OpenOutcome> {
  const [row] = await sql<OpenOutcome[]>`
    select * from outbound.begin_conversation(${made.companyId}, ${made.widgetId}, ${made.userId}, ${made.tokenHash},
      ${made.language}, ${made.pageUrl}, ${made.pageTitle}, ${
    made.consent ? jsonParameter(sql, made.consent) : null
  })`;
  return row!;
}

/** Finds the open conversation of a visitor in a widget, if this is the token it was opened with. */
export async function findOpenConversation(
  sql: Sql,
  query: { companyId: string; widgetId: string; userId: string; tokenHash: string },
): Promise<{ id: string; contact_id: string | null } | undefined> {
  const [row] = await sql<{ id: string; contact_id: string | null }[]>`
    select c.id, c.contact_id from outbound.conversations as c
    where c.token_hash = ${query.tokenHash} and c.company_id = ${query.companyId}
      and c.widget_id = ${query.widgetId} and c.user_id = ${query.userId} and c.status = 'open'`;
  return row;
}

export interface OpenedConversation {
  company_id: string;
  widget_id: string;
  status: ConversationStatus;
  /** Whether the widget is on and its company may use the API. */
  usable: boolean;
  allowed_origins: string[];
  /** Whether a machine replies first: the widget has one, and no person takes care of the conversation yet. False unless asked for. */
  has_assistant: boolean;
}

/**
 * Finds a conversation by its id and token; undefined when the two do not belong together. `withAssistant` reads the
 * widget's configuration, which may be 40 KB.
 */
export async function findVisitorsConversation(
  sql: Sql,
  query: { conversationId: string; tokenHash: string; withAssistant: boolean },
): Promise<OpenedConversation | undefined> {
  const hasAssistant = query.withAssistant
    ? sql`coalesce(w.config #>> '{assistant,mode}' <> 'off', false) and c.assistant <> 'silent' and c.assigned_to is null
        and c.status = 'open'`
    : sql`false`;
  const [row] = await sql<OpenedConversation[]>`
    select c.company_id, c.widget_id, c.status, w.is_active and o.api_access as usable, w.allowed_origins,
      ${hasAssistant} as has_assistant
    from outbound.conversations as c
    join outbound.widgets as w on w.company_id = c.company_id and w.id = c.widget_id
    join outbound.companies as o on o.id = c.company_id
    where c.id = ${query.conversationId} and c.token_hash = ${query.tokenHash}`;
  return row;
}

/** Returns the status of a company's conversation; undefined when it has none with this id. */
export async function readConversationStatus(
  sql: Sql,
  { companyId, conversationId }: ConversationIds,
): Promise<ConversationStatus | undefined> {
  const [row] = await sql<{ status: ConversationStatus }[]>`
    select status from outbound.conversations where company_id = ${companyId} and id = ${conversationId}`;
  return row?.status;
}

export interface NewMessage extends ConversationIds {
  author: MessageAuthor;
  text: string;
  clientMessageId: string | null;
  content?: MessageContent;
}

export type PostOutcome =
  | { outcome: "posted" | "repeated"; message: Message }
  | { outcome: "closed"; message: null }
  | ReachedCap & { outcome: "quota"; message: null };

/** A machine's reply to a visitor's message. */
export interface MachineReply {
  text: string;
  content: MessageContent;
  /** False when the machine has nothing to say about the question: a member should reply. */
  fits: boolean;
}

/** An agent with this name owes the reply: a dispatcher asks it. */
export interface OwedReply {
  is_owed: true;
  name: string;
}

/**
 * Adds a visitor's message, and in the same transaction a machine's reply, or that one is owed; the same `clientMessageId` again returns the
 * first one and adds no reply. Undefined when there is no such conversation.
 */
export async function postMessage(
  sql: Sql,
  message: Omit<NewMessage, "author">,
  reply: MachineReply | OwedReply | null = null,
): Promise<PostOutcome | undefined> {
  const [row] = await sql<PostOutcome[]>`
    select * from outbound.add_visitor_message(${message.companyId}, ${message.conversationId}, ${message.text},
      ${message.clientMessageId}, ${jsonParameter(sql, message.content ?? {})},
      ${reply && jsonParameter(sql, reply)})`;
  return row;
}

/** A chat's widget and its company, and the visitor's language. */
export interface ChatSettings {
  config: unknown;
  language: string | null;
  company_name: string;
}

/** Returns the configuration that a conversation goes by; undefined when there is no such conversation. */
export async function readChatSettings(
  sql: Sql,
  { companyId, conversationId }: ConversationIds,
): Promise<ChatSettings | undefined> {
  const [row] = await sql<ChatSettings[]>`
    select w.config, c.language, o.name as company_name from outbound.conversations as c
    join outbound.widgets as w on w.company_id = c.company_id and w.id = c.widget_id
    join outbound.companies as o on o.id = c.company_id
    where c.company_id = ${companyId} and c.id = ${conversationId}`;
  return row;
}

/** The result of a request for a person; null when there is no such conversation. */
export type PersonOutcome = "requested" | "repeated" | "closed" | null;

/** Records that the visitor asks for a person, with a message of the system that says so. */
export async function requestPerson(
  sql: Sql,
  { companyId, conversationId, text }: ConversationIds & { text: string },
): Promise<PersonOutcome> {
  const [row] = await sql<{ outcome: PersonOutcome }[]>`
    select outbound.request_person(${companyId}, ${conversationId}, ${text}) as outcome`;
  return row!.outcome;
}

/** Adds a message of an operator, as {@link postMessage} does, with a row in the company's audit. */
export async function postReply(
  sql: Sql,
  { companyId, conversationId, text, clientMessageId, content }: Omit<NewMessage, "author">,
  { actor, requestId }: Actor,
): Promise<PostOutcome | undefined> {
  const [row] = await sql<PostOutcome[]>`
    select * from outbound.add_reply(${companyId}, ${conversationId}, ${text}, ${clientMessageId},
      ${jsonParameter(sql, content ?? {})}, ${actor}, ${requestId ?? null})`;
  return row;
}

/** Returns the message with a number; undefined when there is none. */
export async function readMessage(
  sql: Sql,
  { companyId, conversationId }: ConversationIds,
  sequence: number,
): Promise<Message | undefined> {
  const [row] = await sql<{ message: Message }[]>`
    select outbound.describe_message(m) as message from outbound.conversation_messages as m
    where m.company_id = ${companyId} and m.conversation_id = ${conversationId} and m.sequence = ${sequence}`;
  return row?.message;
}

/** Up to `limit` messages between the numbers `after` and `before`: with `last`, the last ones. */
export interface MessagePage {
  after: number;
  before?: number | undefined;
  limit: number;
  last: boolean;
}

/** Selects `sequence` and `message` of a page. */
export function messagesOf(sql: Sql, { companyId, conversationId }: ConversationIds, page: MessagePage) {
  const { after, before, limit, last } = page;
  return sql`
    select m.sequence, outbound.describe_message(m) as message from outbound.conversation_messages as m
    where m.company_id = ${companyId} and m.conversation_id = ${conversationId} and m.sequence > ${after}
      ${before === undefined ? sql`` : sql`and m.sequence < ${before}`}
    order by m.sequence ${last ? sql`desc` : sql``} limit ${limit}`;
}

/** Returns the messages of a page, oldest first. */
export async function readMessages(
  sql: Sql,
  conversation: ConversationIds,
  page: MessagePage,
): Promise<Message[]> {
  const rows = await sql<{ message: Message }[]>`
    select p.message from (${messagesOf(sql, conversation, page)}) as p order by p.sequence`;
  return rows.map(({ message }) => message);
}

/** How long a side counts as typing after its last report. */
const TYPING_S = 8;

/** Records that one side is typing, or has stopped. Members see that a visitor is typing in their company's events. */
export async function setTyping(
  sql: Sql,
  { companyId, conversationId }: ConversationIds,
  { author, isTyping, name = null }: {
    author: "visitor" | "operator";
    isTyping: boolean;
    /** Of an operator, as the visitor sees it. */
    name?: string | null;
  },
): Promise<void> {
  const until = isTyping ? sql`now() + make_interval(secs => ${TYPING_S})` : sql`null`;
  await sql`
    update outbound.conversations set ${sql(`${author}_typing_until`)} = ${until}
      ${author === "operator" ? sql`, operator_typing_name = ${isTyping ? name : null}` : sql``}
    where company_id = ${companyId} and id = ${conversationId} and status = 'open'`;
}

/**
 * Ends a conversation, with a row in the company's audit. Returns whether it was open; undefined when there is no such
 * conversation.
 */
export async function closeConversation(
  sql: Sql,
  { companyId, conversationId }: ConversationIds,
  { actor, requestId }: Actor,
): Promise<boolean | undefined> {
  const [row] = await sql<{ status: ConversationStatus | null }[]>`
    with closed as materialized (
      select outbound.close_conversation(${companyId}, ${conversationId}) as status
    ),
    audited as materialized (
      select outbound.write_audit(${companyId}, ${actor}, 'conversation.closed', ${conversationId}::text, null, null,
        ${requestId ?? null})
      from closed where closed.status = 'open'
    )
    select closed.status from closed cross join (select count(*) from audited) as written`;
  return row?.status ? row.status === "open" : undefined;
}

/** A conversation that a client follows, and the number of the last message it has shown. */
export interface FollowedConversation extends ConversationIds {
  after: number;
}

/** The current state of a conversation, with its new messages. */
export interface ConversationUpdate {
  id: string;
  status: ConversationStatus;
  visitor_typing: boolean;
  operator_typing: boolean;
  operator_typing_name: string | null;
  /** The number of the last message that each side has read. */
  visitor_read: number;
  operator_read: number;
  /** After the number that the client has shown, oldest first; the rest comes with the next query. */
  messages: Message[];
}

const MAX_NEW_MESSAGES = 100;

/** Returns the state of many conversations in one query. */
export async function readConversationUpdates(
  sql: Sql,
  followed: FollowedConversation[],
): Promise<ConversationUpdate[]> {
  return await sql<ConversationUpdate[]>`
    select c.id, c.status, coalesce(c.visitor_typing_until > now(), false) as visitor_typing,
      coalesce(c.operator_typing_until > now(), false) as operator_typing, c.operator_typing_name,
      c.visitor_read, c.operator_read,
      case when c.last_sequence <= f.after then '[]'::jsonb else (
        select coalesce(jsonb_agg(outbound.describe_message(m) order by m.sequence), '[]')
        from outbound.conversation_messages as m
        where m.company_id = c.company_id and m.conversation_id = c.id
          and m.sequence > f.after and m.sequence <= f.after + ${MAX_NEW_MESSAGES}
      ) end as messages
    from unnest(
      ${followed.map((f) => f.companyId)}::uuid[], ${followed.map((f) => f.conversationId)}::uuid[],
      ${followed.map((f) => f.after)}::int[]
    ) as f(company_id, id, after)
    join outbound.conversations as c on c.company_id = f.company_id and c.id = f.id`;
}
