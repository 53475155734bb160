import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import { CommandError } from "../command_error.ts";

/**
 * Removes a document.
 *
 * @throws {CommandError} `not_found`
 */
export async function removeKnowledge(
  { sql }: { sql: Sql },
  { documentId }: { documentId: string },
): Promise<{ documentId: string }> {
  const [row] = await sql`delete from outbound.knowledge_documents where id = ${documentId} returning 1`;
  if (!row) throw new CommandError("not_found", `No document with id ${documentId}`);
  return { documentId };
}
