import { z } from "@hono/zod-openapi";
import { closeInboxConversation } from "../../_shared/db/contacts/inbox.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { conversationParams, requireInboxConversation } from "../../_shared/http/company/conversations.ts";
import { addCompanyRoute } from "../company_route.ts";

/** `POST …/conversations/{conversation_id}/close` ends a chat, or takes a thread out of what waits. */
export function registerPostClose(app: App): void {
  addCompanyRoute(app, {
    method: "post",
    path: "/conversations/{conversation_id}/close",
    operationId: "closeConversation",
    summary: "Close a conversation",
    description:
      "A chat ends for good. On WhatsApp it opens again when one side writes. A repeated request changes nothing.",
    effect: "stops",
    params: conversationParams,
    response: {
      schema: z.object({ conversation_id: z.guid(), state: z.literal("closed") }).openapi(
        "ClosedConversation",
      ),
      example: { conversation_id: "0192f8b1-1111-4222-8333-444455556666", state: "closed" },
    },
  }, async (c, { caller: { companyId, by }, params: { conversation_id: conversationId } }) => {
    const { kind } = await requireInboxConversation(c.get("services").sql, { companyId, conversationId });
    const { sql, conversations } = c.get("services");
    await closeInboxConversation(sql, { companyId, conversationId, kind }, by);
    conversations.wake();
    return { conversation_id: conversationId, state: "closed" as const };
  });
}
