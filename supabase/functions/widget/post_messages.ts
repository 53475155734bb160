import { type RouteConfig, z } from "@hono/zod-openapi";
import { checkFields } from "../_shared/check_fields.ts";
import { postMessage } from "../_shared/db/conversations.ts";
import { AppError } from "../_shared/errors.ts";
import { addRoute, type App, type AppContext } from "../_shared/http/app.ts";
import { errorResponses } from "../_shared/http/error_responses.ts";
import { limitVisitors } from "../_shared/http/limit_visitors.ts";
import { readJson } from "../_shared/http/read_json.ts";
import { type KnownConversation, requireConversation } from "../_shared/http/require_conversation.ts";
import { visitorQuotaExceeded } from "../_shared/http/visitor_quota_exceeded.ts";
import { messageTextSchema } from "../_shared/widgets/message_text.ts";
import { conversationParams, conversationSecurity, messageSchema, operatorQuery } from "./message_schema.ts";

/** What a visitor may write in a minute. */
const MESSAGES = { windowS: 60, perAddress: 300, perConversation: 30 };

const newMessageSchema = z.object({
  client_message_id: z.uuid({ error: "a UUID" }),
  text: messageTextSchema,
}).openapi("NewMessage");

const route: RouteConfig = {
  method: "post",
  path: "/widget/conversations/{conversation_id}/messages",
  summary: "Write a message",
  description:
    "As the visitor with the visitor's token, as an operator with `access_key`, the company's own key. The " +
    "same `client_message_id` again answers the first message and adds none.",
  tags: ["Widgets"],
  security: conversationSecurity,
  request: {
    params: conversationParams,
    query: z.object(operatorQuery),
    body: { required: true, content: { "application/json": { schema: newMessageSchema } } },
  },
  responses: {
    200: {
      description: "The message as it is stored",
      content: { "application/json": { schema: z.object({ message: messageSchema }) } },
    },
    ...errorResponses([400, 401, 403, 404, 409, 413, 429], [403]),
  },
};

/**
 * `POST /widget/conversations/{conversation_id}/messages` adds a message. Fails with `unauthorized`,
 * `validation_failed`, `forbidden`, `not_found`, `conversation_closed`, `rate_limit_exceeded` or `quota_exceeded`.
 */
export function registerPostMessages(app: App): void {
  addRoute(app, route, async (c) => {
    const conversation = await requireConversation(c);
    const { text, client_message_id } = checkFields(newMessageSchema, (await readJson(c)).value);
    await limitVisitor(c, conversation);
    const { sql, conversations, now } = c.var.services;
    const posted = await postMessage(sql, { ...conversation, text, clientMessageId: client_message_id });
    if (!posted) throw new AppError("not_found", "This company has no conversation with this id");
    if (posted.outcome === "closed") {
      throw new AppError("conversation_closed", "This conversation has ended; open a new one");
    }
    if (posted.outcome === "quota") throw visitorQuotaExceeded(posted, now());
    conversations.wake();
    return c.json({ message: posted.message });
  });
}

async function limitVisitor(c: AppContext, { author, conversationId }: KnownConversation): Promise<void> {
  if (author !== "visitor") return;
  const { windowS, perAddress, perConversation } = MESSAGES;
  await limitVisitors(c, {
    what: "message",
    windowS,
    perAddress,
    perSubject: { id: conversationId, limit: perConversation },
  });
}
