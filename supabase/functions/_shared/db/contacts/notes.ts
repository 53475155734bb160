import type { Actor } from "../access/audit.ts";
import type { Sql } from "../driver/connect.ts";
import type { InboxConversation, InboxIds } from "./inbox.ts";

/** A note of a member for the others about a conversation. */
export interface Note {
  note_id: string;
  text: string;
  /** As in the audit. */
  actor: string;
  created_at: Date;
}

function columns(sql: Sql) {
  return sql`n.id as note_id, n.text, n.actor, n.created_at`;
}

/** Returns a page of a conversation's notes, newest first. */
export async function readNotes(
  sql: Sql,
  { companyId, conversationId, after, limit }: InboxIds & { after?: string | undefined; limit: number },
): Promise<Note[]> {
  return await sql<Note[]>`
    select ${columns(sql)} from outbound.conversation_notes as n
    where n.company_id = ${companyId} and n.conversation_id = ${conversationId}
      ${after === undefined ? sql`` : sql`and n.id < ${after}`}
    order by n.id desc limit ${limit}`;
}

/**
 * Adds a note, with a row in the audit. Undefined when the conversation is gone by now: a thread ends when its person is
 * erased.
 */
export async function insertNote(
  sql: Sql,
  { companyId, conversationId, kind, id, text }: InboxIds & {
    kind: InboxConversation["kind"];
    id: string;
    text: string;
  },
  { actor, requestId }: Actor,
): Promise<Note | undefined> {
  const table = sql(kind === "chat" ? "outbound.conversations" : "outbound.contact_threads");
  const [row] = await sql<Note[]>`
    with kept as (
      -- Marks the conversation as changed, so that the console of colleagues reads the note.
      update ${table} as c set labels = c.labels
      where c.company_id = ${companyId} and c.id = ${conversationId}
      returning c.id
    ),
    added as (
      insert into outbound.conversation_notes as n (company_id, id, conversation_id, actor, text)
      select ${companyId}, ${id}, kept.id, ${actor}, ${text} from kept
      returning ${columns(sql)}
    ),
    audited as materialized (
      select outbound.write_audit(${companyId}, ${actor}, 'conversation.noted', ${conversationId}::text, null,
        jsonb_build_object('note_id', added.note_id), ${requestId ?? null}) from added
    )
    select added.* from added cross join (select count(*) from audited) as written`;
  return row;
}
