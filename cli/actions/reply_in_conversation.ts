import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import { type Message, postMessage } from "../../supabase/functions/_shared/db/conversations.ts";
import { CommandError } from "../command_error.ts";
import { findConversation } from "./find_conversation.ts";

const LONGEST = 4000;

/**
 * Answers a visitor. Open pages show it within a second.
 *
 * @throws {CommandError} `not_found`, `bad_value` for a text that is empty or too long, or a conversation that has ended
 */
export async function replyInConversation(
  { sql }: { sql: Sql },
  { conversationId, text }: { conversationId: string; text: string },
): Promise<Message> {
  const length = [...text.trim()].length;
  if (length === 0 || length > LONGEST || text.includes("\0")) {
    throw new CommandError("bad_value", `The text must have 1 to ${LONGEST} characters`);
  }
  const { companyId } = await findConversation({ sql }, { conversationId });
  const posted = await postMessage(sql, {
    companyId,
    conversationId,
    author: "operator",
    text: text.trim(),
    clientMessageId: null,
  });
  if (posted?.message) return posted.message;
  throw new CommandError("bad_value", `Conversation ${conversationId} has ended`);
}
