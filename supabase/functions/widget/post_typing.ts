import { type RouteConfig, z } from "@hono/zod-openapi";
import { checkFields } from "../_shared/check_fields.ts";
import { setTyping } from "../_shared/db/conversations.ts";
import { addRoute, type App } from "../_shared/http/app.ts";
import { errorResponses } from "../_shared/http/error_responses.ts";
import { limitVisitors } from "../_shared/http/limit_visitors.ts";
import { readJson } from "../_shared/http/read_json.ts";
import { requireConversation } from "../_shared/http/require_conversation.ts";
import { conversationParams, conversationSecurity, operatorQuery } from "./message_schema.ts";

/** What one side may tell about its typing in a minute; a page tells every few seconds. */
const TELLING = { what: "typing", windowS: 60, perAddress: 600 };
const PER_SIDE = 60;

const typingSchema = z.object({ is_typing: z.boolean({ error: "true or false" }) }).openapi("Typing");

const route: RouteConfig = {
  method: "post",
  path: "/widget/conversations/{conversation_id}/typing",
  summary: "Tell the other side that one is typing",
  description: "Holds for eight seconds, unless told again.",
  tags: ["Widgets"],
  security: conversationSecurity,
  request: {
    params: conversationParams,
    query: z.object(operatorQuery),
    body: { required: true, content: { "application/json": { schema: typingSchema } } },
  },
  responses: {
    204: { description: "Noted" },
    ...errorResponses([400, 401, 403, 404, 413, 429], [403]),
  },
};

/**
 * `POST /widget/conversations/{conversation_id}/typing` notes who is typing. Fails with `unauthorized`,
 * `validation_failed`, `forbidden`, `not_found` or `rate_limit_exceeded`.
 */
export function registerPostTyping(app: App): void {
  addRoute(app, route, async (c) => {
    const conversation = await requireConversation(c);
    const { is_typing } = checkFields(typingSchema, (await readJson(c)).value);
    const { author, conversationId } = conversation;
    await limitVisitors(c, {
      ...TELLING,
      perSubject: { id: `${author}:${conversationId}`, limit: PER_SIDE },
    });
    const { sql, conversations } = c.var.services;
    await setTyping(sql, conversation, { author, isTyping: is_typing });
    conversations.wake();
    return c.body(null, 204);
  });
}
