import { z } from "@hono/zod-openapi";
import {
  checkReplyMedia,
  queuedAnswer,
  readReply,
  replySchema,
} from "../../_shared/contacts/reply_request.ts";
import { queueReply } from "../../_shared/db/contacts/replies.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { idempotencyHeaders, readIdempotencyKey } from "../../_shared/http/body/read_body.ts";
import { currentTrace } from "../../_shared/telemetry/trace_context.ts";
import { uuidv7 } from "../../_shared/values/uuid.ts";
import { addCompanyRoute } from "../company_route.ts";

const responseSchema = z.object({
  message_id: z.guid(),
  status: z.literal("queued"),
  window_closes_at: z.iso.datetime().openapi({
    description: "Until then the platform takes replies; a later message of the person moves it",
  }),
}).openapi("QueuedReply");

/** `POST …/contacts/replies` queues a reply. */
export function registerPostReplies(app: App): void {
  addCompanyRoute(app, {
    method: "post",
    path: "/contacts/replies",
    operationId: "sendReply",
    summary: "Reply to a person who wrote within 24 hours",
    description:
      "A text, or a file with a caption. It leaves within a second or so; `GET …/contacts/replies` shows what became of " +
      "it, and the event `message.failed` reports one that could not be sent. A person who opted out of marketing can " +
      "still be replied to.",
    headers: idempotencyHeaders,
    body: { schema: replySchema, example: { number: "34600111222", text: "Your order arrives tomorrow." } },
    response: {
      schema: responseSchema,
      example: {
        message_id: "0192f8b0-1111-7222-8333-444455556666",
        status: "queued",
        window_closes_at: "2026-12-02T09:00:00Z",
      },
    },
    refusals: [422],
  }, async (c, { caller: { companyId, by }, body }) => {
    const { sql, tracing } = c.get("services");
    const reply = readReply(body);
    await checkReplyMedia(sql, companyId, reply);
    const once = readIdempotencyKey(c, "contacts/replies", JSON.stringify(body));
    const row = { id: uuidv7(), ...reply, trace: currentTrace(tracing) };
    const queued = await queueReply(sql, companyId, row, once, by);
    if (queued.outcome === "replayed") c.header("Idempotent-Replayed", "true");
    return queuedAnswer(queued, reply) as z.input<typeof responseSchema>;
  });
}
