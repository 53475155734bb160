import { z } from "@hono/zod-openapi";
import type { Sql } from "../../db/driver/connect.ts";
import { type InboxConversation, readInboxMessages } from "../../db/contacts/inbox.ts";
import { nextOf, nextSchema } from "../app/list_page.ts";
import { showRow } from "../app/show_row.ts";

/** A message of a conversation. */
export const messageSchema = z.object({
  message_id: z.guid(),
  author: z.enum(["contact", "company", "system"]),
  kind: z.string().openapi({ description: "`text`, `image`, `button` … Chats hold texts only" }),
  text: z.string().nullable(),
  content: z.record(z.string(), z.unknown()).nullable().openapi({ description: "The rest, by kind" }),
  status: z.string().nullable().openapi({ description: "On WhatsApp: what became of it" }),
  error_reason: z.string().nullable(),
  at: z.iso.datetime(),
}).openapi("InboxMessage");

export const MESSAGE_EXAMPLE: z.input<typeof messageSchema> = {
  message_id: "0192f8b0-1111-7222-8333-444455556666",
  author: "contact",
  kind: "text",
  text: "Where is my order?",
  content: null,
  status: "received",
  error_reason: null,
  at: "2026-12-01T09:00:00Z",
};

export const messagesSchema = z.object({ messages: z.array(messageSchema), next: nextSchema })
  .openapi("InboxMessages");

/** Returns a page of a conversation's messages, newest first. */
export async function listMessages(
  sql: Sql,
  conversation: InboxConversation,
  query: { companyId: string; after?: string | undefined; limit: number },
): Promise<z.input<typeof messagesSchema>> {
  const rows = await readInboxMessages(sql, conversation, query);
  return {
    messages: rows.map((row) => showRow(messageSchema, row)),
    next: nextOf(rows, query.limit, "message_id"),
  };
}
