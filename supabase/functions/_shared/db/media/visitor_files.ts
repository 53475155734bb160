import { jsonParameter, type Sql } from "../driver/connect.ts";
import type { ConversationIds, PostOutcome } from "../widgets/conversations.ts";
import type { NewMediaFile } from "./media_files.ts";

/** A file that a visitor sends. Field names are those of `outbound.add_visitor_file`. */
export interface NewVisitorFile extends Omit<NewMediaFile, "message_id"> {
  /** In pixels, of an image; null where that is not known. */
  width: number | null;
  height: number | null;
}

/** The message that a visitor sends a file with. */
export interface VisitorFileMessage extends ConversationIds {
  clientMessageId: string;
}

/** The outcome of announcing a file; `repeated`: its message is there already. */
export type ExpectOutcome = PostOutcome | { outcome: "expected"; message: null } | {
  outcome: "no_room";
  message: null;
};

/** The outcome of adding a file that is stored; `too_late`: the upload took longer than an hour. */
export type AddOutcome = PostOutcome | { outcome: "too_late"; message: null };

/**
 * Reserves room for a visitor's file, counts it towards the day's quota, and has it deleted from the store in an hour, unless
 * it is added before. Only `expected` changes anything. Undefined when there is no such conversation.
 */
export async function expectVisitorFile(
  sql: Sql,
  { companyId, conversationId, clientMessageId }: VisitorFileMessage,
  { mediaId, bytes, maxBytes }: { mediaId: string; bytes: number; maxBytes: number },
): Promise<ExpectOutcome | undefined> {
  const [row] = await sql<ExpectOutcome[]>`
    select * from outbound.expect_visitor_file(
      ${companyId}, ${conversationId}, ${clientMessageId}, ${mediaId}, ${bytes}, ${maxBytes})`;
  return row;
}

/** Adds a visitor's message with a file that is stored. Undefined when there is no such conversation. */
export async function addVisitorFile(
  sql: Sql,
  { companyId, conversationId, clientMessageId, text }: VisitorFileMessage & { text: string },
  file: NewVisitorFile,
): Promise<AddOutcome | undefined> {
  const [row] = await sql<AddOutcome[]>`
    select * from outbound.add_visitor_file(
      ${companyId}, ${conversationId}, ${text}, ${clientMessageId}, ${jsonParameter(sql, file)})`;
  return row;
}
