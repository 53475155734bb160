import { type RouteConfig, z } from "@hono/zod-openapi";
import { readMessages } from "../_shared/db/conversations.ts";
import { addRoute, type App } from "../_shared/http/app.ts";
import { errorResponses } from "../_shared/http/error_responses.ts";
import { limitReads } from "../_shared/http/limit_reads.ts";
import { requireConversation } from "../_shared/http/require_conversation.ts";
import {
  conversationParams,
  conversationSecurity,
  messageSchema,
  operatorQuery,
  statusSchema,
} from "./message_schema.ts";
import { readSequence } from "./read_sequence.ts";

const MOST_MESSAGES = 200;

const READS = { what: "messages", perAddress: 1200, perVisitor: 120 };

const route: RouteConfig = {
  method: "get",
  path: "/widget/conversations/{conversation_id}/messages",
  summary: "Read a conversation",
  description: "Up to 200 messages: those behind the number `after`, or the last ones without it.",
  tags: ["Widgets"],
  security: conversationSecurity,
  request: {
    params: conversationParams,
    query: z.object({ ...operatorQuery, after: z.string().optional().openapi({ example: "12" }) }),
  },
  responses: {
    200: {
      description: "Oldest first",
      content: {
        "application/json": { schema: z.object({ status: statusSchema, messages: z.array(messageSchema) }) },
      },
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
    const messages = await readMessages(c.var.services.sql, conversation, {
      after: after ?? 0,
      limit: MOST_MESSAGES,
      last: after === undefined,
    });
    return c.json({ status: conversation.status, messages });
  });
}
