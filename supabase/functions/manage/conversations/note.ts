import { z } from "@hono/zod-openapi";
import { authorOf } from "../../_shared/contacts/message_authors.ts";
import type { Note } from "../../_shared/db/contacts/notes.ts";
import { showRow } from "../../_shared/http/app/show_row.ts";
import { authorSchema } from "../../_shared/http/company/author_schemas.ts";
import type { Services } from "../../_shared/services.ts";

/** A member's note about a conversation. It is not sent. */
export const noteSchema = z.object({
  note_id: z.guid(),
  text: z.string(),
  written_by: authorSchema,
  created_at: z.iso.datetime(),
}).openapi("ConversationNote");

/** For the API document. */
export const NOTE_EXAMPLE: z.input<typeof noteSchema> = {
  note_id: "0192f8d5-1111-7222-8333-444455556666",
  text: "Asked for a refund twice already.",
  written_by: { kind: "member", user_id: "0192f8b0-2222-4222-8333-444455556666", name: "Ana" },
  created_at: "2026-12-01T09:00:00Z",
};

/** Returns a note in the API's names. */
export async function showNote(
  { memberNames }: Pick<Services, "memberNames">,
  { actor, ...note }: Note,
): Promise<z.input<typeof noteSchema>> {
  return showRow(noteSchema, { ...note, written_by: await authorOf(memberNames, actor) });
}
