import type { App } from "../../_shared/http/app/context.ts";
import {
  CONVERSATION_EXAMPLE,
  conversationParams,
  conversationSchema,
  requireInboxConversation,
  showConversation,
} from "../../_shared/http/company/conversations.ts";
import { addMemberRoute } from "../member_route.ts";

/** `GET …/conversations/{conversation_id}` shows one. */
export function registerGetConversation(app: App): void {
  addMemberRoute(
    app,
    {
      method: "get",
      path: "/conversations/{conversation_id}",
      operationId: "getConversation",
      summary: "Show a conversation",
      role: "viewer",
      params: conversationParams,
      response: { schema: conversationSchema, example: CONVERSATION_EXAMPLE },
    },
    async (c, { member: { companyId }, params: { conversation_id: conversationId } }) =>
      showConversation(
        await requireInboxConversation(c.get("services").sql, { companyId, conversationId }),
      ),
  );
}
