import type { App } from "../../_shared/http/app/context.ts";
import {
  CONVERSATION_EXAMPLE,
  conversationParams,
  conversationSchema,
  requireInboxConversation,
  showConversations,
} from "../../_shared/http/company/conversations.ts";
import { addCompanyRoute } from "../company_route.ts";

/** `GET …/conversations/{conversation_id}` shows one. */
export function registerGetConversation(app: App): void {
  addCompanyRoute(
    app,
    {
      method: "get",
      path: "/conversations/{conversation_id}",
      operationId: "getConversation",
      summary: "Show a conversation",
      params: conversationParams,
      response: { schema: conversationSchema, example: CONVERSATION_EXAMPLE },
    },
    async (c, { caller: { companyId }, params: { conversation_id: conversationId } }) => {
      const services = c.get("services");
      const found = await requireInboxConversation(services.sql, { companyId, conversationId });
      const [shown] = await showConversations(services, companyId, [found]);
      return shown!;
    },
  );
}
