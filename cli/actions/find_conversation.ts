import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import type { ConversationStatus, MessageAuthor } from "../../supabase/functions/_shared/db/conversations.ts";
import { CommandError } from "../command_error.ts";

export interface ConversationRow {
  conversationId: string;
  companyId: string;
  widgetId: string;
  userId: string;
  status: ConversationStatus;
  language: string | null;
  pageUrl: string | null;
  pageTitle: string | null;
  messages: number;
  lastAuthor: MessageAuthor | null;
  lastMessageAt: Date | null;
  createdAt: Date;
}

/** The columns of a conversation under the names above. */
export function conversationColumns(sql: Sql) {
  return sql`
    id as "conversationId", company_id as "companyId", widget_id as "widgetId", user_id as "userId", status,
    language, page_url as "pageUrl", page_title as "pageTitle", last_sequence as messages, last_author as "lastAuthor",
    last_message_at as "lastMessageAt", created_at as "createdAt"`;
}

/**
 * One conversation.
 *
 * @throws {CommandError} `not_found`
 */
export async function findConversation(
  { sql }: { sql: Sql },
  { conversationId }: { conversationId: string },
): Promise<ConversationRow> {
  const [row] = await sql<ConversationRow[]>`
    select ${conversationColumns(sql)} from outbound.conversations where id = ${conversationId}`;
  if (!row) throw new CommandError("not_found", `No conversation with id ${conversationId}`);
  return row;
}
