import { z } from "@hono/zod-openapi";
import { reopenThread } from "../../_shared/db/contacts/inbox.ts";
import { AppError } from "../../_shared/errors.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { conversationParams, requireInboxConversation } from "../../_shared/http/company/conversations.ts";
import { addCompanyRoute } from "../company_route.ts";

/** `POST …/conversations/{conversation_id}/reopen` puts a closed thread back. */
export function registerPostReopen(app: App): void {
  addCompanyRoute(app, {
    method: "post",
    path: "/conversations/{conversation_id}/reopen",
    operationId: "reopenConversation",
    summary: "Open a conversation again",
    description: "On WhatsApp only: a chat ends for good. A repeated request changes nothing.",
    params: conversationParams,
    response: {
      schema: z.object({ conversation_id: z.guid(), reopened: z.literal(true) }).openapi(
        "ReopenedConversation",
      ),
      example: { conversation_id: "0192f8b1-1111-4222-8333-444455556666", reopened: true },
    },
    refusals: [409],
  }, async (c, { caller: { companyId, by }, params: { conversation_id: conversationId } }) => {
    const { sql } = c.get("services");
    const ids = { companyId, conversationId };
    const { kind } = await requireInboxConversation(sql, ids);
    if (kind === "chat") throw new AppError("conversation_closed", "A chat that was closed stays closed");
    await reopenThread(sql, ids, by);
    return { conversation_id: conversationId, reopened: true as const };
  });
}
