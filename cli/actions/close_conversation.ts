import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import { closeConversation as close } from "../../supabase/functions/_shared/db/conversations.ts";
import { findConversation } from "./find_conversation.ts";

/**
 * Ends a conversation; ending it again changes nothing.
 *
 * @throws {CommandError} `not_found`
 */
export async function closeConversation(
  { sql }: { sql: Sql },
  { conversationId }: { conversationId: string },
): Promise<{ conversationId: string; status: "closed" }> {
  const { companyId } = await findConversation({ sql }, { conversationId });
  await close(sql, { companyId, conversationId });
  return { conversationId, status: "closed" };
}
