import { z } from "@hono/zod-openapi";
import type { ApiRoute } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App } from "../_shared/http/app/context.ts";
import { errorResponses } from "../_shared/http/app/error_responses.ts";
import { respondEvents } from "../_shared/http/app/event_stream.ts";
import { CONVERSATION } from "../_shared/http/app/security.ts";
import { limitReads } from "../_shared/http/guards/limits.ts";
import { requireConversation } from "../_shared/http/guards/require_conversation.ts";
import { conversationParams, operatorQuery, readSequence, sequenceParam } from "./conversation_route.ts";
import { conversationEventSource } from "./event_source.ts";

/** A page reconnects every 100 seconds, or every second on a bad connection. */
const OPENINGS = { what: "events", perAddress: 1200, perVisitor: 120 };

const route: ApiRoute = {
  method: "get",
  path: "/widget/conversations/{conversation_id}/events",
  operationId: "followConversation",
  summary: "Follow a conversation",
  description: "Server-sent events: `message` (its number is the event's id), `typing` of the other side " +
    "(`{author, is_typing, name}`; an operator's name where the visitor may know), `read` (`{author, sequence}`: up to " +
    "which message the other side has read) and `status` (`{status}`). Ends by itself after about 100 seconds. Reconnect with " +
    "`Last-Event-ID`, or `after` in the query, to miss no event and get none twice.",
  tags: ["Chat widget"],
  security: CONVERSATION,
  request: {
    params: conversationParams,
    headers: z.object({ "Last-Event-ID": sequenceParam }),
    query: z.object({ ...operatorQuery, after: sequenceParam }),
  },
  responses: {
    200: { description: "The events", content: { "text/event-stream": { schema: z.string() } } },
    ...errorResponses([400, 401, 403, 404, 429], [403]),
  },
};

/**
 * `GET /widget/conversations/{conversation_id}/events` streams what is new. Fails with `unauthorized`,
 * `validation_failed`, `forbidden`, `not_found` or `rate_limit_exceeded`.
 */
export function registerGetEvents(app: App): void {
  addRoute(app, route, async (c) => {
    limitReads(c, OPENINGS);
    const conversation = await requireConversation(c);
    const after = readSequence("Last-Event-ID", c.req.header("Last-Event-ID")) ??
      readSequence("after", c.req.query("after")) ?? 0;
    return respondEvents(c, conversationEventSource(c.var.services.conversations, conversation, after));
  });
}
