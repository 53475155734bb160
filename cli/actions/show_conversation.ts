import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import { type Message, readMessages } from "../../supabase/functions/_shared/db/conversations.ts";
import { type ConversationRow, findConversation } from "./find_conversation.ts";

/**
 * A conversation with its last messages, oldest first.
 *
 * @throws {CommandError} `not_found`
 */
export async function showConversation(
  { sql }: { sql: Sql },
  { conversationId, limit }: { conversationId: string; limit: number },
): Promise<{ conversation: ConversationRow; messages: Message[] }> {
  const conversation = await findConversation({ sql }, { conversationId });
  const messages = await readMessages(sql, conversation, { after: 0, limit, last: true });
  return { conversation, messages };
}
