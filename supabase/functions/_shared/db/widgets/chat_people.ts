import type { Sql } from "../driver/connect.ts";
import { type ConversationIds, type Message, type MessagePage, messagesOf } from "./conversations.ts";

/** Returns whether the visitors of a chat's widget see the names of members: the feature `names`, on by default. */
export async function showsNames(sql: Sql, { companyId, conversationId }: ConversationIds): Promise<boolean> {
  const [row] = await sql<{ shows: boolean }[]>`
    select w.config #> '{features,names}' is distinct from 'false' as shows
    from outbound.conversations as c
    join outbound.widgets as w on w.company_id = c.company_id and w.id = c.widget_id
    where c.company_id = ${companyId} and c.id = ${conversationId}`;
  return row?.shows ?? false;
}

/** Moves on how far one side has read a conversation: up to the message number `sequence`. Returns whether that is new. */
export async function markRead(
  sql: Sql,
  { companyId, conversationId }: ConversationIds,
  { reader, sequence }: { reader: "visitor" | "operator"; sequence: number },
): Promise<boolean> {
  const [row] = await sql<{ moved: boolean }[]>`
    select outbound.read_conversation(${companyId}, ${conversationId}, ${reader}, ${sequence}) as moved`;
  return row!.moved;
}

/** Moves on how far members have read a chat: up to a message, by default the last one. Returns whether that is new. */
export async function markReadByMember(
  sql: Sql,
  { companyId, conversationId }: ConversationIds,
  messageId: string | null,
): Promise<boolean> {
  const [row] = await sql<{ moved: boolean }[]>`
    select outbound.read_conversation(${companyId}, ${conversationId}, 'operator', m.sequence) as moved
    from outbound.conversations as c
    join outbound.conversation_messages as m on m.company_id = c.company_id and m.conversation_id = c.id
    where c.company_id = ${companyId} and c.id = ${conversationId}
      and case when ${messageId}::uuid is null then m.sequence = c.last_sequence else m.id = ${messageId} end`;
  return row?.moved ?? false;
}

/** The outcome of storing an e-mail address: `off` where the widget takes none. */
export type EmailOutcome = "stored" | "off" | null;

/** Stores where a visitor wants replies by e-mail; null removes it. Null when there is no such conversation. */
export async function setVisitorEmail(
  sql: Sql,
  { companyId, conversationId }: ConversationIds,
  email: string | null,
): Promise<EmailOutcome> {
  const [row] = await sql<{ outcome: EmailOutcome }[]>`
    select outbound.set_visitor_email(${companyId}, ${conversationId}, ${email}) as outcome`;
  return row!.outcome;
}

/** The outcome of a rating, as `outbound.rate_conversation` describes it. */
export type RatingOutcome = "rated" | "unchanged" | "off" | "empty" | "late" | null;

/** Stores a visitor's rating, in place of an earlier one. Null when there is no such conversation. */
export async function rateConversation(
  sql: Sql,
  { companyId, conversationId }: ConversationIds,
  { rating, comment }: { rating: number; comment: string | null },
): Promise<RatingOutcome> {
  const [row] = await sql<{ outcome: RatingOutcome }[]>`
    select outbound.rate_conversation(${companyId}, ${conversationId}, ${rating}, ${comment}) as outcome`;
  return row!.outcome;
}

/** The state of a conversation beside its messages. */
export interface ChatState {
  /** The number of the last message that the visitor has read. */
  visitor_read: number;
  /** The same of the company's side. */
  operator_read: number;
  /** Whether replies can follow by e-mail: the visitor left an address, or a signed one is known. */
  has_email: boolean;
  rating: number | null;
}

/** Returns the state of a conversation and a page of its messages, oldest first. */
export async function readHistory(
  sql: Sql,
  conversation: ConversationIds,
  page: MessagePage,
): Promise<(ChatState & { messages: Message[] }) | undefined> {
  const { companyId, conversationId } = conversation;
  const [row] = await sql<(ChatState & { messages: Message[] })[]>`
    select c.visitor_read, c.operator_read, c.rating,
      c.visitor_email is not null or exists (
        select from outbound.contact_addresses as a
        where a.company_id = c.company_id and a.contact_id = c.contact_id and a.kind = 'email'
      ) as has_email,
      (
        select coalesce(jsonb_agg(p.message order by p.sequence), '[]')
        from (${messagesOf(sql, conversation, page)}) as p
      ) as messages
    from outbound.conversations as c where c.company_id = ${companyId} and c.id = ${conversationId}`;
  return row;
}
