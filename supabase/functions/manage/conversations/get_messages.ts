import { z } from "@hono/zod-openapi";
import type { App } from "../../_shared/http/app/context.ts";
import { pageFields } from "../../_shared/http/app/list_page.ts";
import {
  listMessages,
  MESSAGE_EXAMPLE,
  messagesSchema,
} from "../../_shared/http/company/conversation_messages.ts";
import { conversationParams, requireInboxConversation } from "../../_shared/http/company/conversations.ts";
import { addCompanyRoute } from "../company_route.ts";

/** `GET …/conversations/{conversation_id}/messages` lists the messages of a conversation, newest first. */
export function registerGetMessages(app: App): void {
  addCompanyRoute(app, {
    method: "get",
    path: "/conversations/{conversation_id}/messages",
    operationId: "listInboxMessages",
    summary: "List the messages of a conversation",
    params: conversationParams,
    query: z.object(pageFields),
    response: { schema: messagesSchema, example: { messages: [MESSAGE_EXAMPLE], next: null } },
  }, async (c, { caller: { companyId }, params: { conversation_id: conversationId }, query }) => {
    const services = c.get("services");
    const conversation = await requireInboxConversation(services.sql, { companyId, conversationId });
    return await listMessages(services, conversation, { companyId, ...query });
  });
}
