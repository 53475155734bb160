import { z } from "@hono/zod-openapi";
import { labelConversation } from "../../_shared/db/contacts/inbox.ts";
import type { App } from "../../_shared/http/app/context.ts";
import {
  conversationParams,
  MAX_LABEL_LENGTH,
  requireInboxConversation,
} from "../../_shared/http/company/conversations.ts";
import { isOneLine, ONE_LINE, WITHOUT_CONTROLS } from "../../_shared/values/control_characters.ts";
import { addCompanyRoute } from "../company_route.ts";

const MAX_LABELS = 20;
const FORMAT = `1 to ${MAX_LABEL_LENGTH} characters`;

const labelSchema = z.string({ error: FORMAT }).trim().min(1, FORMAT).max(MAX_LABEL_LENGTH, FORMAT)
  .refine(isOneLine, `one line of ${WITHOUT_CONTROLS}`).openapi({ pattern: ONE_LINE });

/** `PUT …/conversations/{conversation_id}/labels` sets the labels of a conversation. */
export function registerPutLabels(app: App): void {
  addCompanyRoute(app, {
    method: "put",
    path: "/conversations/{conversation_id}/labels",
    operationId: "labelConversation",
    summary: "Set the labels of a conversation",
    description: `All of them, at most ${MAX_LABELS}. \`label\` of the list finds conversations by one.`,
    params: conversationParams,
    body: {
      schema: z.strictObject({ labels: z.array(labelSchema).max(MAX_LABELS, `at most ${MAX_LABELS}`) })
        .openapi("ConversationLabels"),
      example: { labels: ["order", "urgent"] },
    },
    response: {
      schema: z.object({ conversation_id: z.guid(), labels: z.array(z.string()) }).openapi(
        "LabelledConversation",
      ),
      example: { conversation_id: "0192f8b1-1111-4222-8333-444455556666", labels: ["order", "urgent"] },
    },
  }, async (c, { caller: { companyId, by }, params: { conversation_id: conversationId }, body }) => {
    const { sql } = c.get("services");
    const ids = { companyId, conversationId };
    const { kind } = await requireInboxConversation(sql, ids);
    const labels = [...new Set(body.labels)].sort();
    await labelConversation(sql, { ...ids, kind, labels }, by);
    return { conversation_id: conversationId, labels };
  });
}
