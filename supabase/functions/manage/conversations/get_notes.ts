import { z } from "@hono/zod-openapi";
import { readNotes } from "../../_shared/db/contacts/notes.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { listFields, nextOf, pageFields } from "../../_shared/http/app/list_page.ts";
import { conversationParams, requireInboxConversation } from "../../_shared/http/company/conversations.ts";
import { addCompanyRoute } from "../company_route.ts";
import { NOTE_EXAMPLE, noteSchema, showNote } from "./note.ts";

/** `GET …/conversations/{conversation_id}/notes` lists what members wrote to each other about a conversation. */
export function registerGetNotes(app: App): void {
  addCompanyRoute(app, {
    method: "get",
    path: "/conversations/{conversation_id}/notes",
    operationId: "listNotes",
    summary: "List the notes on a conversation",
    description: "The newest first. Notes are for members, and are never sent.",
    params: conversationParams,
    query: z.object(pageFields),
    response: {
      schema: z.object({ notes: z.array(noteSchema), ...listFields }).openapi("ConversationNotes"),
      example: { notes: [NOTE_EXAMPLE], next: null },
    },
  }, async (c, { caller: { companyId }, params: { conversation_id: conversationId }, query }) => {
    const services = c.get("services");
    await requireInboxConversation(services.sql, { companyId, conversationId });
    const rows = await readNotes(services.sql, { companyId, conversationId, ...query });
    return {
      notes: await Promise.all(rows.map((row) => showNote(services, row))),
      next: nextOf(rows, query.limit, "note_id"),
    };
  });
}
