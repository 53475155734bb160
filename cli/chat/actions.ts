import { CLI } from "../../supabase/functions/_shared/db/access/audit.ts";
import type { Sql } from "../../supabase/functions/_shared/db/driver/connect.ts";
import {
  closeConversation as closeInDatabase,
  type ConversationRow,
  type ConversationsQuery,
  type Message,
  postReply,
  readConversation,
  readConversations,
  readMessages,
} from "../../supabase/functions/_shared/db/widgets/conversations.ts";
import { messageTextSchema } from "../../supabase/functions/_shared/widgets/conversation_rules.ts";
import { CommandError } from "../errors/command_error.ts";
import { requireCompanies } from "../errors/refusals.ts";

/**
 * Returns one conversation.
 *
 * @throws {CommandError} `not_found`
 */
export async function findConversation(
  { sql }: { sql: Sql },
  { conversationId }: { conversationId: string },
): Promise<ConversationRow> {
  const conversation = await readConversation(sql, conversationId);
  if (!conversation) throw new CommandError("not_found", `No conversation with id ${conversationId}`);
  return conversation;
}

/**
 * Returns the conversations that have messages, the most recent message first.
 *
 * @throws {CommandError} `not_found`
 */
export async function listConversations(
  { sql }: { sql: Sql },
  query: ConversationsQuery,
): Promise<ConversationRow[]> {
  if (query.companyId) await requireCompanies(sql, query.companyId);
  return await readConversations(sql, query);
}

/**
 * Returns a conversation with its last messages, oldest first.
 *
 * @throws {CommandError} `not_found`
 */
export async function showConversation(
  { sql }: { sql: Sql },
  { conversationId, limit }: { conversationId: string; limit: number },
): Promise<{ conversation: ConversationRow; messages: Message[] }> {
  const conversation = await findConversation({ sql }, { conversationId });
  const { company_id: companyId } = conversation;
  const messages = await readMessages(sql, { companyId, conversationId }, { after: 0, limit, last: true });
  return { conversation, messages };
}

/**
 * Replies to a visitor. Open pages show the reply within a second.
 *
 * @throws {CommandError} `not_found`; `bad_value` for an empty text, one that is too long or holds control characters, and
 * a conversation that has ended
 */
export async function replyInConversation(
  { sql }: { sql: Sql },
  { conversationId, text }: { conversationId: string; text: string },
): Promise<Message> {
  const { data, error } = messageTextSchema.safeParse(text);
  if (error) throw new CommandError("bad_value", `Invalid text: expected ${error.issues[0]!.message}`);
  const { company_id: companyId } = await findConversation({ sql }, { conversationId });
  const message = { companyId, conversationId, text: data, clientMessageId: null };
  const posted = await postReply(sql, message, CLI);
  if (posted?.message) return posted.message;
  throw new CommandError("bad_value", `Conversation ${conversationId} has ended`);
}

/**
 * Ends a conversation; ending it again changes nothing.
 *
 * @throws {CommandError} `not_found`
 */
export async function closeConversation(
  { sql }: { sql: Sql },
  { conversationId }: { conversationId: string },
): Promise<{ conversationId: string; status: "closed" }> {
  const { company_id: companyId } = await findConversation({ sql }, { conversationId });
  await closeInDatabase(sql, { companyId, conversationId }, CLI);
  return { conversationId, status: "closed" };
}
