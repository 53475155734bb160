import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import { type Message, postMessage } from "../../supabase/functions/_shared/db/conversations.ts";
import { messageTextSchema } from "../../supabase/functions/_shared/widgets/message_text.ts";
import { CommandError } from "../command_error.ts";
import { findConversation } from "./find_conversation.ts";

/**
 * Answers a visitor. Open pages show it within a second.
 *
 * @throws {CommandError} `not_found`, `bad_value` for a text that is empty, too long or holds control characters, or a
 * conversation that has ended
 */
export async function replyInConversation(
  { sql }: { sql: Sql },
  { conversationId, text }: { conversationId: string; text: string },
): Promise<Message> {
  const { data, error } = messageTextSchema.safeParse(text);
  if (error) {
    throw new CommandError("bad_value", `The text does not fit: expected ${error.issues[0]!.message}`);
  }
  const { companyId } = await findConversation({ sql }, { conversationId });
  const posted = await postMessage(sql, {
    companyId,
    conversationId,
    author: "operator",
    text: data,
    clientMessageId: null,
  });
  if (posted?.message) return posted.message;
  throw new CommandError("bad_value", `Conversation ${conversationId} has ended`);
}
