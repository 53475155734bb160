import { z } from "@hono/zod-openapi";
import { assignConversation } from "../../_shared/db/contacts/inbox.ts";
import { AppError, badFormat } from "../../_shared/errors.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { conversationParams, requireInboxConversation } from "../../_shared/http/company/conversations.ts";
import { addCompanyRoute } from "../company_route.ts";

/** `POST …/conversations/{conversation_id}/assign` gives a conversation to a member. */
export function registerPostAssign(app: App): void {
  addCompanyRoute(app, {
    method: "post",
    path: "/conversations/{conversation_id}/assign",
    operationId: "assignConversation",
    summary: "Assign a conversation",
    description:
      "The member, or null to remove the assignment. A member who leaves the company has none any more.",
    params: conversationParams,
    body: {
      schema: z.strictObject({
        user_id: z.guid({ error: "a member's user_id, or null" }).nullable(),
      }).openapi("Assignment"),
      example: { user_id: null },
    },
    response: {
      schema: z.object({ conversation_id: z.guid(), assigned_to: z.guid().nullable() })
        .openapi("AssignedConversation"),
      example: { conversation_id: "0192f8b1-1111-4222-8333-444455556666", assigned_to: null },
    },
  }, async (c, { caller: { companyId, by }, params, body: { user_id: member } }) => {
    const ids = { companyId, conversationId: params.conversation_id };
    const { kind } = await requireInboxConversation(c.get("services").sql, ids);
    const outcome = await assignConversation(c.get("services").sql, { ...ids, kind, member }, by);
    if (outcome === null) throw new AppError("not_found", "Conversation not found");
    if (outcome === "not_a_member") throw badFormat("user_id", member, "a member of this company");
    return { conversation_id: params.conversation_id, assigned_to: member };
  });
}
