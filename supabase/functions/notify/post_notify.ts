import { type RouteConfig, z } from "@hono/zod-openapi";
import { v7 as uuidv7 } from "uuid";
import type { SendContext } from "../_shared/db/send_context.ts";
import { badFormat } from "../_shared/errors.ts";
import { acceptCampaign, type PlannedCampaign } from "../_shared/http/accept_campaign.ts";
import { missingPermission, presentedKeyHash } from "../_shared/http/access_key.ts";
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
import { prepareChat, type PreparedBatch } from "../_shared/notifications/prepare_chat.ts";
import { dueTime } from "../_shared/scheduling/due_time.ts";
import { utcSeconds } from "../_shared/scheduling/utc_seconds.ts";
import type { Services } from "../_shared/services.ts";
import { findUsableTemplate, requireMatchingVariables } from "../_shared/templates/find_usable_template.ts";

const PERMISSION = "chatapp_notifications";

const singleAnswerSchema = z.object({
  success: z.literal(true),
  message: z.string(),
  inquiry_set_id: z.uuid().openapi({
    description: "The campaign; GET /notify/status takes it as campaign_id",
  }),
  scheduled_time: z.iso.datetime().optional(),
}).openapi("NotificationAccepted");

const bulkAnswerSchema = z.object({
  success: z.literal(true),
  message: z.literal("Processing completed"),
  total: z.number().int(),
  processed: z.number().int(),
  failed: z.number().int(),
  errors: z.array(z.object({ contact: z.unknown(), reason: z.string() })),
  inquiry_set_id: z.uuid(),
  scheduled_time: z.iso.datetime().optional(),
}).openapi("BulkAccepted");

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
      content: { "application/json": { schema: z.union([singleAnswerSchema, bulkAnswerSchema]) } },
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
    const query = {
      keyHash,
      channel: "whatsapp" as const,
      recipientId: request.recipient_id,
      templateName: request.name_template,
      bulk: request.bulk,
    };
    return await orFirstAnswer(
      c,
      { keyHash, request: idempotent },
      () =>
        acceptCampaign(
          c,
          query,
          (context) => planCampaign(c.var.services, { request, context, keyHash, idempotent }),
        ),
    );
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

interface PlanInput {
  request: ChatRequest;
  context: SendContext;
  keyHash: string;
  idempotent: IdempotentRequest | null;
}

function planCampaign(
  services: Services,
  { request, context, keyHash, idempotent }: PlanInput,
): PlannedCampaign {
  if (!context.permissions.includes(PERMISSION)) throw missingPermission(PERMISSION);
  if (context.sender_id === null) {
    throw badFormat(
      "recipient_id",
      request.recipient_id,
      "the id or the phone number of one of your senders",
    );
  }
  const template = findUsableTemplate(
    context.templates ?? [],
    request.name_template,
    request.language_template,
  );
  requireMatchingVariables(template, Object.keys(request.values));
  const due = dueTime(request.datetime_sending, request.timezone, services.now());
  const batch = prepareChat(request, template);
  const campaignId = uuidv7();
  const answer = answerFor(request, batch, campaignId, due);
  return {
    answer,
    request: {
      key_hash: keyHash,
      permission: PERMISSION,
      ttl_s: services.env.NOTIFICATION_TTL_S,
      campaign: {
        id: campaignId,
        channel: "whatsapp",
        name: request.campaign_name,
        notification_type: request.notification_type,
        sender_id: context.sender_id,
        template_id: template.id,
        template_name: request.name_template,
        template_language: template.language,
        template_shape: template.shape,
        name_event: request.name_event ?? null,
        scheduled_time: due?.toISOString() ?? null,
        rejected: batch.failures.length,
      },
      notifications: batch.notifications,
      idempotency: idempotent && {
        endpoint: idempotent.endpoint,
        key: idempotent.key,
        request_hash: idempotent.requestHash,
        answer,
      },
    },
  };
}

function answerFor(request: ChatRequest, batch: PreparedBatch, campaignId: string, due: Date | null) {
  const campaign = { inquiry_set_id: campaignId, ...(due && { scheduled_time: utcSeconds(due) }) };
  if (!request.bulk) {
    return { success: true, message: due ? "Notification scheduled" : "Notification queued", ...campaign };
  }
  return {
    success: true,
    message: "Processing completed",
    total: request.contacts.length,
    processed: batch.notifications.length,
    failed: batch.failures.length,
    errors: batch.failures,
    ...campaign,
  };
}
