import { z } from "@hono/zod-openapi";
import { readHistory } from "../_shared/db/widgets/chat_people.ts";
import { type ApiRoute, json } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App } from "../_shared/http/app/context.ts";
import { errorResponses } from "../_shared/http/app/error_responses.ts";
import { CONVERSATION } from "../_shared/http/app/security.ts";
import { limitReads } from "../_shared/http/guards/limits.ts";
import { requireConversation } from "../_shared/http/guards/require_conversation.ts";
import {
  conversationParams,
  MESSAGE_EXAMPLE,
  messageSchema,
  operatorQuery,
  readSequence,
  sequenceParam,
  statusSchema,
} from "./conversation_route.ts";

const MAX_MESSAGES = 200;

const READS = { what: "messages", perAddress: 1200, perVisitor: 120 };

const sequence = z.number().int().min(0);

const messagesSchema = z.object({
  status: statusSchema,
  messages: z.array(messageSchema),
  visitor_read: sequence.openapi({ description: "The number of the last message that the visitor has read" }),
  operator_read: sequence.openapi({ description: "The same of the company's side" }),
  has_email: z.boolean().openapi({ description: "Whether replies can follow by e-mail" }),
  rating: z.number().int().min(1).max(5).nullable().openapi({ description: "The visitor's" }),
}).openapi("Messages");

const route: ApiRoute = {
  method: "get",
  path: "/widget/conversations/{conversation_id}/messages",
  operationId: "listMessages",
  summary: "Read a conversation",
  description:
    "Up to 200 messages: those after the number `after`, or without it the last ones, of those before `before`.",
  tags: ["Chat widget"],
  security: CONVERSATION,
  request: {
    params: conversationParams,
    query: z.object({
      ...operatorQuery,
      after: sequenceParam,
      before: sequenceParam.openapi({ description: "The number of the first message that was read" }),
    }),
  },
  responses: {
    200: {
      description: "Oldest first",
      ...json(messagesSchema, {
        status: "open",
        messages: [MESSAGE_EXAMPLE],
        visitor_read: 1,
        operator_read: 1,
        has_email: false,
        rating: null,
      }),
    },
    ...errorResponses([400, 401, 403, 404, 429], [403]),
  },
};

/**
 * `GET /widget/conversations/{conversation_id}/messages` reads a conversation. Fails with `unauthorized`,
 * `validation_failed`, `forbidden`, `not_found` or `rate_limit_exceeded`.
 */
export function registerGetMessages(app: App): void {
  addRoute(app, route, async (c) => {
    limitReads(c, READS);
    const conversation = await requireConversation(c);
    const after = readSequence("after", c.req.query("after"));
    const history = await readHistory(c.var.services.sql, conversation, {
      after: after ?? 0,
      before: readSequence("before", c.req.query("before")),
      limit: MAX_MESSAGES,
      last: after === undefined,
    });
    return c.json({ status: conversation.status, ...history! });
  });
}
