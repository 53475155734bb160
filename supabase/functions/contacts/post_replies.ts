import { z } from "@hono/zod-openapi";
import { queuedAnswer, readReply, replySchema } from "../_shared/contacts/reply_request.ts";
import { queueReply } from "../_shared/db/contacts/replies.ts";
import { type ApiRoute, json, jsonBody } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App } from "../_shared/http/app/context.ts";
import { errorResponses } from "../_shared/http/app/error_responses.ts";
import { COMPANY_KEY } from "../_shared/http/app/security.ts";
import { idempotencyHeaders, readIdempotencyKey } from "../_shared/http/body/read_body.ts";
import { currentTrace } from "../_shared/telemetry/trace_context.ts";
import { uuidv7 } from "../_shared/values/uuid.ts";
import { callerWithBody } from "./contacts_caller.ts";
import { accessKeyParam } from "../_shared/http/guards/access_key.ts";

const responseSchema = z.object({
  success: z.literal(true),
  message_id: z.guid(),
  status: z.literal("queued"),
  window_closes_at: z.iso.datetime().openapi({
    description: "Until then the platform takes replies; a later message of the person moves it",
  }),
}).openapi("QueuedReply");

const route: ApiRoute = {
  method: "post",
  path: "/contacts/replies",
  operationId: "sendReply",
  summary: "Reply to a person who wrote within 24 hours",
  description:
    "A text, or a file with a caption. It leaves within a second or so; `GET /contacts/replies` shows what became " +
    "of it, and the event `message.failed` reports one that could not be sent. A person who opted out of marketing " +
    "can still be replied to.",
  tags: ["Contacts"],
  security: COMPANY_KEY,
  request: {
    query: z.object({ access_key: accessKeyParam }),
    headers: idempotencyHeaders,
    body: jsonBody(replySchema, { number: "34600111222", text: "Your order arrives tomorrow." }),
  },
  responses: {
    200: {
      description: "Stored",
      ...json(responseSchema, {
        success: true,
        message_id: "0192f8b0-1111-7222-8333-444455556666",
        status: "queued",
        window_closes_at: "2026-12-02T09:00:00Z",
      }),
    },
    ...errorResponses([400, 401, 413, 422, 429], [403]),
  },
};

/**
 * `POST /contacts/replies` queues a reply. Fails with `unauthorized`, `validation_failed`, `window_closed`,
 * `sender_locked`, `idempotency_key_reused`, `payload_too_large` or `rate_limit_exceeded`; 403 has the short form.
 */
export function registerPostReplies(app: App): void {
  addRoute(app, route, async (c) => {
    const { companyId, actor, body: { reply, idempotent } } = await callerWithBody(c, (body, text) => ({
      reply: readReply(body),
      idempotent: readIdempotencyKey(c, route.path, text),
    }));
    const by = { actor, requestId: c.get("requestId") };
    const { sql, tracing } = c.var.services;
    const queued = await queueReply(
      sql,
      companyId,
      { id: uuidv7(), ...reply, trace: currentTrace(tracing) },
      idempotent,
      by,
    );
    if (queued.outcome === "replayed") c.header("Idempotent-Replayed", "true");
    return c.json(queuedAnswer(queued, reply));
  });
}
