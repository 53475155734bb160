import { z } from "@hono/zod-openapi";
import { withAuthors } from "../../contacts/message_authors.ts";
import { type InboxConversation, readInboxMessages } from "../../db/contacts/inbox.ts";
import type { Services } from "../../services.ts";
import { listFields, nextOf } from "../app/list_page.ts";
import { showRow } from "../app/show_row.ts";
import { attachmentSchema } from "./attachment_schema.ts";
import { authorFields } from "./author_schemas.ts";

/** A message of a conversation. */
export const messageSchema = z.object({
  message_id: z.guid(),
  author: z.enum(["contact", "company", "system"]),
  ...authorFields,
  kind: z.string().openapi({
    description: "`text`, `image`, `button` …; in a chat `text` or the kind of its file",
  }),
  text: z.string().nullable(),
  content: z.record(z.string(), z.unknown()).nullable().openapi({
    description: "The rest, by kind; in a chat `file`, `card`, `quick_replies` and `sender`",
  }),
  attachment: attachmentSchema,
  status: z.string().nullable().openapi({
    description:
      "On WhatsApp what became of it; of your message in a chat `sent`, or `read` once the visitor has seen it",
  }),
  error_code: z.string().nullable(),
  error_reason: z.string().nullable(),
  at: z.iso.datetime(),
}).openapi("InboxMessage");

export const MESSAGE_EXAMPLE: z.input<typeof messageSchema> = {
  message_id: "0192f8b0-1111-7222-8333-444455556666",
  author: "contact",
  written_by: { kind: "contact", user_id: null, name: null },
  replies_to: null,
  kind: "text",
  text: "Where is my order?",
  content: null,
  attachment: null,
  status: "received",
  error_code: null,
  error_reason: null,
  at: "2026-12-01T09:00:00Z",
};

export const messagesSchema = z.object({ messages: z.array(messageSchema), ...listFields })
  .openapi("InboxMessages");

/** Returns a page of a conversation's messages, newest first. */
export async function listMessages(
  services: Pick<Services, "sql" | "memberNames">,
  conversation: InboxConversation,
  query: { companyId: string; after?: string | undefined; limit: number },
): Promise<z.input<typeof messagesSchema>> {
  const rows = await readInboxMessages(services.sql, conversation, query);
  const { companyId } = query;
  const theirs = conversation.kind === "chat" ? "visitor" : "contact";
  const stored = rows.map((row) => ({ ...row, isOurs: row.author !== "contact" }));
  const messages = await withAuthors(services, { companyId, theirs }, stored);
  return {
    messages: messages.map((row) => showRow(messageSchema, row)),
    next: nextOf(rows, query.limit, "message_id"),
  };
}
