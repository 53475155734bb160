import { z } from "@hono/zod-openapi";
import { type InboxMessage, readInboxMessages } from "../../_shared/db/inbox.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { nextOf, nextSchema, pageFields, timeOf } from "../../_shared/http/app/list_page.ts";
import { addMemberRoute } from "../member_route.ts";
import { conversationParams, requireInboxConversation } from "./conversation.ts";

const messageSchema = z.object({
  message_id: z.guid(),
  author: z.enum(["contact", "company", "system"]),
  kind: z.string().openapi({ description: "`text`, `image`, `button` … Chats hold texts only" }),
  text: z.string().nullable(),
  content: z.record(z.string(), z.unknown()).nullable().openapi({ description: "The rest, by kind" }),
  status: z.string().nullable().openapi({ description: "On WhatsApp: what became of it" }),
  error_reason: z.string().nullable(),
  at: z.iso.datetime(),
}).openapi("InboxMessage");

/** `GET …/conversations/{conversation_id}/messages` lists the messages of a conversation, newest first. */
export function registerGetMessages(app: App): void {
  addMemberRoute(app, {
    method: "get",
    path: "/conversations/{conversation_id}/messages",
    operationId: "listInboxMessages",
    summary: "List the messages of a conversation",
    role: "viewer",
    params: conversationParams,
    query: z.object(pageFields),
    response: {
      schema: z.object({ messages: z.array(messageSchema), next: nextSchema }).openapi("InboxMessages"),
      example: {
        messages: [{
          message_id: "0192f8b0-1111-7222-8333-444455556666",
          author: "contact",
          kind: "text",
          text: "Where is my order?",
          content: null,
          status: "received",
          error_reason: null,
          at: "2026-12-01T09:00:00Z",
        }],
        next: null,
      },
    },
  }, async (c, { member: { companyId }, params: { conversation_id: conversationId }, query }) => {
    const conversation = await requireInboxConversation(c, { companyId, conversationId });
    const rows = await readInboxMessages(c.get("services").sql, conversation, { companyId, ...query });
    return { messages: rows.map(describeMessage), next: nextOf(rows, query.limit) };
  });
}

function describeMessage(
  { id, author, kind, text, content, status, errorReason, at }: InboxMessage,
): z.input<typeof messageSchema> {
  return { message_id: id, author, kind, text, content, status, error_reason: errorReason, at: timeOf(at)! };
}
