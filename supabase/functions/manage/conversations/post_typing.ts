import { z } from "@hono/zod-openapi";
import { setTyping } from "../../_shared/db/widgets/conversations.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { conversationParams, requireInboxConversation } from "../../_shared/http/company/conversations.ts";
import { tooManyPerMinute } from "../../_shared/http/guards/limits.ts";
import { memberNameFor } from "../../_shared/widgets/sender.ts";
import { addCompanyRoute } from "../company_route.ts";

/** Per minute and conversation. A page sends one every few seconds. */
const MAX_REPORTS = 60;

const typingSchema = z.strictObject({ is_typing: z.boolean({ error: "true or false" }) }).openapi(
  "MemberTyping",
);

/** `POST …/conversations/{conversation_id}/typing` shows a visitor that a member is writing. */
export function registerPostTyping(app: App): void {
  addCompanyRoute(app, {
    method: "post",
    path: "/conversations/{conversation_id}/typing",
    operationId: "reportTyping",
    summary: "Report typing to the visitor",
    description: "Expires after eight seconds unless repeated. WhatsApp does not show it.",
    params: conversationParams,
    body: { schema: typingSchema, example: { is_typing: true } },
    response: { schema: typingSchema, example: { is_typing: true } },
  }, async (c, { caller: { companyId, by }, params: { conversation_id: conversationId }, body }) => {
    const services = c.get("services");
    const { sql, conversations, perMinute } = services;
    const waitS = perMinute.count(`member typing:${companyId}:${conversationId}`, MAX_REPORTS);
    if (waitS > 0) throw tooManyPerMinute(c, "Too many requests", { limit: MAX_REPORTS, waitS });
    const { kind } = await requireInboxConversation(sql, { companyId, conversationId });
    if (kind === "chat") {
      const ids = { companyId, conversationId };
      const name = body.is_typing ? await memberNameFor(services, ids, by.actor) : null;
      await setTyping(sql, ids, { author: "operator", isTyping: body.is_typing, name });
      conversations.wake();
    }
    return body;
  });
}
