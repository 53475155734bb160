import { z } from "@hono/zod-openapi";
import type { SendContext, SendContextQuery } from "../db/send_context.ts";
import { badFormat } from "../errors.ts";
import type { NotificationRequest } from "../notifications/notification_request.ts";
import { pickContacts } from "../notifications/pick_contacts.ts";
import { unflatten } from "../notifications/unflatten.ts";
import { acceptCampaign } from "./accept_campaign.ts";
import { presentedKeyHash } from "./access_key.ts";
import { afterKey } from "./after_key.ts";
import { addRoute, type App, type AppContext } from "./app.ts";
import type { Channel } from "./channel.ts";
import { errorResponses } from "./error_responses.ts";
import { type IdempotentRequest, orFirstAnswer, readIdempotencyKey } from "./idempotency.ts";
import { planCampaign } from "./plan_campaign.ts";
import { readJson } from "./read_json.ts";

/** 100 contacts with 10 KiB each. */
const MAX_BODY_BYTES = 1024 * 1024;

/** A route that queues notifications: where it is, and what it takes and answers. */
export interface NotificationRoute {
  method: "post";
  path: string;
  summary: string;
  description: string;
  /** The body in nested form. */
  body: z.ZodType;
  answer: z.ZodType;
}

/**
 * Adds a route that reads a request to notify, checks it, stores it and answers before anything is sent. The order of
 * the checks: key, permission, body, sender, template or agent, schedule, rate and quota.
 */
export function addNotificationRoute<Request extends NotificationRequest>(
  app: App,
  { body, answer, ...route }: NotificationRoute,
  channel: Channel<Request>,
): void {
  addRoute(app, {
    ...route,
    tags: ["Notifications"],
    request: {
      query: z.object({
        access_key: z.string(),
        unflatten: z.enum(["true", "false"]).optional(),
      }),
      headers: z.object({ "Idempotency-Key": z.string().max(255).optional() }),
      body: { required: true, content: { "application/json": { schema: body } } },
    },
    responses: {
      200: {
        description: "Stored; will be sent now, or at `scheduled_time`",
        content: { "application/json": { schema: answer } },
      },
      ...errorResponses([400, 401, 404, 413, 422, 429], [403]),
    },
  }, (c) => queueNotifications(c, channel));
}

async function queueNotifications<Request extends NotificationRequest>(
  c: AppContext,
  channel: Channel<Request>,
): Promise<Response> {
  const { permission } = channel;
  const keyHash = presentedKeyHash(c);
  const { request, idempotent } = await afterKey(c, { keyHash, permission }, () => readRequest(c, channel));
  const query: SendContextQuery = {
    keyHash,
    channel: channel.name,
    recipientId: request.recipient_id,
    bulk: request.bulk,
    ...channel.names(request),
  };
  const plan = (context: SendContext) =>
    planCampaign(c.var.services, channel, { request, context, keyHash, idempotent });
  return await orFirstAnswer(c, { keyHash, request: idempotent }, () => acceptCampaign(c, query, plan));
}

async function readRequest<Request extends NotificationRequest>(
  c: AppContext,
  channel: Channel<Request>,
): Promise<{ request: Request; idempotent: IdempotentRequest | null }> {
  const body = await readJson(c, { maxBytes: MAX_BODY_BYTES });
  const given = c.req.query("unflatten") ?? "false";
  if (given !== "true" && given !== "false") throw badFormat("unflatten", given, "true or false");
  const flat = given === "true";
  const root = flat ? unflatten(body.value) : body.value;
  return {
    request: channel.read({ root, ...pickContacts(root, { flat }) }),
    idempotent: readIdempotencyKey(c, channel.endpoint, body.text),
  };
}
