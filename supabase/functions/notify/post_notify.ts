import { type RouteConfig, z } from "@hono/zod-openapi";
import type { SendContext, SendContextQuery } from "../_shared/db/send_context.ts";
import { badFormat } from "../_shared/errors.ts";
import { acceptCampaign } from "../_shared/http/accept_campaign.ts";
import { presentedKeyHash } from "../_shared/http/access_key.ts";
import { afterKey } from "../_shared/http/after_key.ts";
import { addRoute, type App, type AppContext } from "../_shared/http/app.ts";
import { errorResponses } from "../_shared/http/error_responses.ts";
import { type IdempotentRequest, orFirstAnswer, readIdempotencyKey } from "../_shared/http/idempotency.ts";
import { readJson } from "../_shared/http/read_json.ts";
import {
  type ChatRequest,
  chatRequestSchema,
  readChatRequest,
} from "../_shared/notifications/chat_request.ts";
import { answerSchema } from "./answer.ts";
import { PERMISSION, planCampaign } from "./plan_campaign.ts";

const route: RouteConfig = {
  method: "post",
  path: "/notify",
  summary: "Queue a chat notification for one contact, or for up to 100",
  description:
    "Answered when the notifications are stored safely; sending follows. With `unflatten=true` nested keys " +
    "are written with dots (`contact.number`, `components_push.body_text_0`).",
  tags: ["Notifications"],
  request: {
    query: z.object({
      access_key: z.string(),
      unflatten: z.enum(["true", "false"]).optional(),
    }),
    headers: z.object({ "Idempotency-Key": z.string().max(255).optional() }),
    body: { required: true, content: { "application/json": { schema: chatRequestSchema } } },
  },
  responses: {
    200: {
      description: "Stored; will be sent now, or at `scheduled_time`",
      content: { "application/json": { schema: answerSchema } },
    },
    ...errorResponses([400, 401, 404, 413, 422, 429], [403]),
  },
};

/**
 * `POST /notify` queues a notification for one contact, or for up to 100, and answers before anything is sent.
 *
 * Fails with `unauthorized`, `validation_failed`, `template_not_found`, `template_not_approved`, `variable_mismatch`,
 * `rate_limit_exceeded` or `quota_exceeded`; a key without the permission gets 403 in the short shape.
 */
export function registerPostNotify(app: App): void {
  addRoute(app, route, async (c) => {
    const keyHash = presentedKeyHash(c);
    const { request, idempotent } = await afterKey(
      c,
      { keyHash, permission: PERMISSION },
      () => readRequest(c),
    );
    const query: SendContextQuery = {
      keyHash,
      channel: "whatsapp",
      recipientId: request.recipient_id,
      templateName: request.name_template,
      bulk: request.bulk,
    };
    const plan = (context: SendContext) =>
      planCampaign(c.var.services, { request, context, keyHash, idempotent });
    return await orFirstAnswer(c, { keyHash, request: idempotent }, () => acceptCampaign(c, query, plan));
  });
}

async function readRequest(
  c: AppContext,
): Promise<{ request: ChatRequest; idempotent: IdempotentRequest | null }> {
  const body = await readJson(c);
  const unflatten = c.req.query("unflatten") ?? "false";
  if (unflatten !== "true" && unflatten !== "false") throw badFormat("unflatten", unflatten, "true or false");
  return {
    request: readChatRequest(body.value, { flat: unflatten === "true" }),
    idempotent: readIdempotencyKey(c, "notify", body.text),
  };
}
