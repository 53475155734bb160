import { z } from "@hono/zod-openapi";
import { checkFields } from "../_shared/check_fields.ts";
import { setTyping } from "../_shared/db/widgets/conversations.ts";
import { badFormat } from "../_shared/errors.ts";
import { type ApiRoute, jsonBody } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App } from "../_shared/http/app/context.ts";
import { errorResponses } from "../_shared/http/app/error_responses.ts";
import { CONVERSATION } from "../_shared/http/app/security.ts";
import { limitVisitors } from "../_shared/http/guards/limits.ts";
import { readJson } from "../_shared/http/body/read_body.ts";
import { requireConversation } from "../_shared/http/guards/require_conversation.ts";
import { senderNameSchema } from "../_shared/widgets/sender.ts";
import { conversationParams, operatorQuery } from "./conversation_route.ts";

/** Typing reports per minute of one side. A page sends one every few seconds. */
const REPORTS = { what: "typing", windowS: 60, perAddress: 600 };
const PER_SIDE = 60;

const typingSchema = z.object({
  is_typing: z.boolean({ error: "true or false" }),
  name: senderNameSchema.optional().openapi({
    description: "Of the one who types, as the visitor sees it; with a key only",
  }),
}).openapi("Typing");

const route: ApiRoute = {
  method: "post",
  path: "/widget/conversations/{conversation_id}/typing",
  operationId: "setTyping",
  summary: "Report typing to the other side",
  description: "Expires after eight seconds unless repeated.",
  tags: ["Chat widget"],
  security: CONVERSATION,
  request: {
    params: conversationParams,
    query: z.object(operatorQuery),
    body: jsonBody(typingSchema, { is_typing: true }),
  },
  responses: {
    204: { description: "Noted" },
    ...errorResponses([400, 401, 403, 404, 413, 429], [403]),
  },
};

/**
 * `POST /widget/conversations/{conversation_id}/typing` stores who is typing. Fails with `unauthorized`,
 * `validation_failed`, `forbidden`, `not_found` or `rate_limit_exceeded`.
 */
export function registerPostTyping(app: App): void {
  addRoute(app, route, async (c) => {
    const conversation = await requireConversation(c);
    const { is_typing, name } = checkFields(typingSchema, (await readJson(c)).value);
    const { author, conversationId } = conversation;
    if (author === "visitor" && name !== undefined) {
      throw badFormat("name", "", "nothing: only a company's own key says who types");
    }
    await limitVisitors(c, {
      ...REPORTS,
      perSubject: { id: `${author}:${conversationId}`, limit: PER_SIDE },
    });
    const { sql, conversations } = c.var.services;
    await setTyping(sql, conversation, { author, isTyping: is_typing, name: name ?? null });
    conversations.wake();
    return c.body(null, 204);
  });
}
