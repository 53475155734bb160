import { z } from "@hono/zod-openapi";
import type { App } from "../../_shared/http/app/context.ts";
import { pageFields } from "../../_shared/http/app/list_page.ts";
import {
  CONVERSATION_EXAMPLE,
  conversationFilters,
  conversationsSchema,
  listConversations,
} from "../../_shared/http/company/conversations.ts";
import { addCompanyRoute } from "../company_route.ts";

/** `GET …/conversations` lists chats and threads in one inbox. */
export function registerGetConversations(app: App): void {
  addCompanyRoute(
    app,
    {
      method: "get",
      path: "/conversations",
      operationId: "listConversations",
      summary: "List conversations",
      description: "Chats of your widgets and what people write to your senders, the last message first.",
      query: z.object({ ...conversationFilters, limit: pageFields.limit }),
      response: {
        schema: conversationsSchema,
        example: { conversations: [CONVERSATION_EXAMPLE], next: null },
      },
    },
    async (c, { caller: { companyId }, query }) =>
      await listConversations(c.get("services"), companyId, query),
  );
}
