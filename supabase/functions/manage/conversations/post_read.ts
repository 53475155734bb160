import { z } from "@hono/zod-openapi";
import { markReadByMember } from "../../_shared/db/widgets/chat_people.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { conversationParams, requireInboxConversation } from "../../_shared/http/company/conversations.ts";
import { addCompanyRoute } from "../company_route.ts";

const requestSchema = z.strictObject({
  message_id: z.guid({ error: "the message_id of a message" }).optional().openapi({
    description: "The last message that was read; by default the last one of all",
  }),
}).openapi("ReadConversation");

const responseSchema = z.object({
  conversation_id: z.guid(),
  changed: z.boolean().openapi({ description: "False where it was read before, and on WhatsApp" }),
}).openapi("ReadConversationResult");

/** `POST …/conversations/{conversation_id}/read` shows a visitor that a member has read what they wrote. */
export function registerPostRead(app: App): void {
  addCompanyRoute(app, {
    method: "post",
    path: "/conversations/{conversation_id}/read",
    operationId: "readConversation",
    summary: "Report that a member has read",
    description: "The visitor of a chat sees it. It only moves forward. WhatsApp does not show it.",
    params: conversationParams,
    body: {
      schema: requestSchema,
      example: { message_id: "0192f8b0-1111-7222-8333-444455556666" },
      optional: true,
    },
    response: {
      schema: responseSchema,
      example: { conversation_id: "0192f8b1-1111-4222-8333-444455556666", changed: true },
    },
  }, async (c, { caller: { companyId }, params: { conversation_id: conversationId }, body }) => {
    const { sql, conversations } = c.get("services");
    const ids = { companyId, conversationId };
    const { kind } = await requireInboxConversation(sql, ids);
    const changed = kind === "chat" && await markReadByMember(sql, ids, body.message_id ?? null);
    if (changed) conversations.wake();
    return { conversation_id: conversationId, changed };
  });
}
