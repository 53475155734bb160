import { type RouteConfig, z } from "@hono/zod-openapi";
import { addRoute, type App } from "../_shared/http/app.ts";
import { errorResponses } from "../_shared/http/error_responses.ts";
import { limitReads } from "../_shared/http/limit_reads.ts";
import { requireConversation } from "../_shared/http/require_conversation.ts";
import { conversationStream } from "./conversation_stream.ts";
import { conversationParams, conversationSecurity, operatorQuery } from "./message_schema.ts";
import { readSequence } from "./read_sequence.ts";

/** Hosted functions may run for 150 s; spread, so that not all readers come back at once. */
const LASTS_MS = 90_000;
const LASTS_UP_TO_MORE_MS = 20_000;

/** A page opens one and comes back every 100 seconds, or each second while its connection is bad. */
const OPENINGS = { what: "events", perAddress: 1200, perVisitor: 120 };

const route: RouteConfig = {
  method: "get",
  path: "/widget/conversations/{conversation_id}/events",
  summary: "Follow a conversation",
  description: "Server-sent events: `message` (its number is the event's id), `typing` of the other side " +
    "(`{author, is_typing}`) and `status` (`{status}`). Ends by itself after some 100 seconds; come back with " +
    "`Last-Event-ID`, or `after` in the query, and nothing is missed or told twice.",
  tags: ["Widgets"],
  security: conversationSecurity,
  request: {
    params: conversationParams,
    headers: z.object({ "Last-Event-ID": z.string().optional() }),
    query: z.object({ ...operatorQuery, after: z.string().optional() }),
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
    const { conversations, random } = c.var.services;
    const lastsMs = LASTS_MS + random() * LASTS_UP_TO_MORE_MS;
    c.header("Content-Type", "text/event-stream");
    c.header("Cache-Control", "no-cache, no-transform");
    c.header("X-Accel-Buffering", "no");
    return c.body(conversationStream(conversations, conversation, { after, lastsMs }));
  });
}
