import { z } from "@hono/zod-openapi";
import { checkFields } from "../_shared/check_fields.ts";
import { markRead } from "../_shared/db/widgets/chat_people.ts";
import { type ApiRoute, jsonBody } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App } from "../_shared/http/app/context.ts";
import { errorResponses } from "../_shared/http/app/error_responses.ts";
import { CONVERSATION } from "../_shared/http/app/security.ts";
import { readJson } from "../_shared/http/body/read_body.ts";
import { limitReads } from "../_shared/http/guards/limits.ts";
import { requireConversation } from "../_shared/http/guards/require_conversation.ts";
import { conversationParams, operatorQuery } from "./conversation_route.ts";

/** A page reports each message that it shows, at most. */
const REPORTS = { what: "read", perAddress: 1200, perVisitor: 120 };

const SEQUENCE = "the number of a message";

const readSchema = z.object({
  sequence: z.int({ error: SEQUENCE }).min(1, SEQUENCE).max(999_999_999, SEQUENCE).openapi({
    description: "The number of the last message that was read; one beyond the last message counts as that",
  }),
}).openapi("ReadReport");

const route: ApiRoute = {
  method: "post",
  path: "/widget/conversations/{conversation_id}/read",
  operationId: "markConversationRead",
  summary: "Report how far the caller has read",
  description: "The other side sees it. It only moves forward: a repeated report changes nothing.",
  tags: ["Chat widget"],
  security: CONVERSATION,
  request: {
    params: conversationParams,
    query: z.object(operatorQuery),
    body: jsonBody(readSchema, { sequence: 2 }),
  },
  responses: {
    204: { description: "Stored" },
    ...errorResponses([400, 401, 403, 404, 413, 429], [403]),
  },
};

/**
 * `POST /widget/conversations/{conversation_id}/read` stores how far one side has read. Fails with `unauthorized`,
 * `validation_failed`, `forbidden`, `not_found` or `rate_limit_exceeded`.
 */
export function registerPostRead(app: App): void {
  addRoute(app, route, async (c) => {
    limitReads(c, REPORTS);
    const conversation = await requireConversation(c);
    const { sequence } = checkFields(readSchema, (await readJson(c)).value);
    const { sql, conversations } = c.var.services;
    if (await markRead(sql, conversation, { reader: conversation.author, sequence })) conversations.wake();
    return c.body(null, 204);
  });
}
