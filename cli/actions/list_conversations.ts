import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import { conversationColumns, type ConversationRow } from "./find_conversation.ts";
import { refuseUnlessCompany } from "./refuse_unless_company.ts";

export interface ConversationsQuery {
  companyId?: string | undefined;
  /** Only those that are open and whose last word is the visitor's. */
  waiting: boolean;
  limit: number;
}

/**
 * Conversations in which something was written, the last written in first.
 *
 * @throws {CommandError} `not_found`
 */
export async function listConversations(
  { sql }: { sql: Sql },
  { companyId, waiting, limit }: ConversationsQuery,
): Promise<ConversationRow[]> {
  if (companyId) await refuseUnlessCompany(sql, companyId);
  return await sql<ConversationRow[]>`
    select ${conversationColumns(sql)} from outbound.conversations
    where last_sequence > 0 ${companyId ? sql`and company_id = ${companyId}` : sql``}
      ${waiting ? sql`and status = 'open' and last_author = 'visitor'` : sql``}
    order by last_message_at desc, id limit ${limit}`;
}
