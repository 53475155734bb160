import { z } from "@hono/zod-openapi";
import { checkFields } from "../_shared/check_fields.ts";
import { postMessage, postReply } from "../_shared/db/widgets/conversations.ts";
import { AppError } from "../_shared/errors.ts";
import { type ApiRoute, json, jsonBody } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App, AppContext } from "../_shared/http/app/context.ts";
import { errorResponses } from "../_shared/http/app/error_responses.ts";
import { CONVERSATION } from "../_shared/http/app/security.ts";
import { limitVisitors, visitorQuotaExceeded } from "../_shared/http/guards/limits.ts";
import { readJson } from "../_shared/http/body/read_body.ts";
import { machineReply } from "../_shared/widgets/machine_reply.ts";
import { type KnownConversation, requireConversation } from "../_shared/http/guards/require_conversation.ts";
import { messageTextSchema } from "../_shared/widgets/conversation_rules.ts";
import { conversationParams, MESSAGE_EXAMPLE, messageSchema, operatorQuery } from "./conversation_route.ts";

/** Messages per minute of a visitor. */
const MESSAGES = { windowS: 60, perAddress: 300, perConversation: 30 };

const newMessageSchema = z.object({
  client_message_id: z.uuid({ error: "a UUID" }),
  text: messageTextSchema,
}).openapi("MessageRequest");

const route: ApiRoute = {
  method: "post",
  path: "/widget/conversations/{conversation_id}/messages",
  operationId: "sendMessage",
  summary: "Write a message",
  description:
    "As the visitor with the visitor's token, as an operator with `access_key`, the company's own key. A " +
    "repeated `client_message_id` returns the first message and adds none. Where the widget has an assistant, its " +
    "reply is stored with the visitor's message.",
  tags: ["Chat widget"],
  security: CONVERSATION,
  request: {
    params: conversationParams,
    query: z.object(operatorQuery),
    body: jsonBody(newMessageSchema, {
      client_message_id: "3f2b8a1e-6c4d-4e5f-9a0b-1c2d3e4f5a6b",
      text: "Where is my order?",
    }),
  },
  responses: {
    200: {
      description: "The stored message",
      ...json(z.object({ message: messageSchema }).openapi("SentMessage"), {
        message: MESSAGE_EXAMPLE,
      }),
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
    const { by } = conversation;
    const message = { ...conversation, text, clientMessageId: client_message_id };
    const posted = by === null
      ? await postMessage(sql, message, await machineReply(sql, conversation, text))
      : await postReply(sql, message, by);
    if (!posted) throw new AppError("not_found", "This company has no conversation with this id");
    if (posted.outcome === "closed") {
      throw new AppError("conversation_closed", "This conversation is closed; open a new one");
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
