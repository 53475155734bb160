import { z } from "@hono/zod-openapi";
import { insertNote } from "../../_shared/db/contacts/notes.ts";
import { AppError } from "../../_shared/errors.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { conversationParams, requireInboxConversation } from "../../_shared/http/company/conversations.ts";
import { uuidv7 } from "../../_shared/values/uuid.ts";
import { addCompanyRoute } from "../company_route.ts";
import { NOTE_EXAMPLE, noteSchema, showNote } from "./note.ts";

const TEXT = "1 to 4000 characters";

/** `POST …/conversations/{conversation_id}/notes` adds a note. */
export function registerPostNotes(app: App): void {
  addCompanyRoute(
    app,
    {
      method: "post",
      path: "/conversations/{conversation_id}/notes",
      operationId: "addNote",
      summary: "Add a note to a conversation",
      description:
        "For members only: it is never sent. It is in the person's export, and is erased with the person.",
      params: conversationParams,
      body: {
        schema: z.strictObject({ text: z.string({ error: TEXT }).min(1, TEXT).max(4000, TEXT) })
          .openapi("ConversationNoteRequest"),
        example: { text: NOTE_EXAMPLE.text },
      },
      response: { schema: noteSchema, example: NOTE_EXAMPLE },
    },
    async (c, { caller: { companyId, by }, params: { conversation_id: conversationId }, body: { text } }) => {
      const services = c.get("services");
      const ids = { companyId, conversationId };
      const { kind } = await requireInboxConversation(services.sql, ids);
      const note = await insertNote(services.sql, { ...ids, kind, id: uuidv7(), text }, by);
      if (note === undefined) throw new AppError("not_found", "Conversation not found");
      return await showNote(services, note);
    },
  );
}
