import { z } from "@hono/zod-openapi";
import type { Channel } from "../campaigns/channel.ts";
import { type NotificationRequest, pickContacts } from "../campaigns/notification_request.ts";
import type { CampaignInput, CampaignTarget } from "../campaigns/plan_campaign.ts";
import { queueCampaign } from "../campaigns/queue_campaign.ts";
import { unflatten } from "../campaigns/unflatten.ts";
import { checkQuery } from "../check_fields.ts";
import { AppError, resultOf } from "../errors.ts";
import type { JsonBody } from "./app/api_route.ts";
import { addRoute } from "./app/app.ts";
import type { App, AppContext } from "./app/context.ts";
import { errorResponses, errorSchema } from "./app/error_responses.ts";
import { readIdempotencyKey, readJson } from "./body/read_body.ts";
import {
  countFault,
  noteKey,
  presentedKeyHash,
  refuseFromMemory,
  requireKeyForLargeBody,
} from "./guards/access_key.ts";

/** 100 contacts with 10 KiB each. */
const MAX_BODY_BYTES = 1024 * 1024;

const querySchema = z.object({
  access_key: z.string(),
  unflatten: z.enum(["true", "false"], { error: "true or false" }).optional(),
  campaign_id: z.uuid({ error: "the inquiry_set_id of an earlier response" }).toLowerCase().optional()
    .openapi({
      description: "Adds the contacts to this campaign; without it, the request makes a new one",
    }),
  more: z.enum(["true", "false"], { error: "true or false" }).optional().openapi({
    description: "`true`: more requests for this campaign will follow. It stays open, and reports no " +
      "`campaign.completed`, until a request without it, or an hour without any",
  }),
});

/** Why a request cannot add to the campaign that it names. */
const additionConflict = {
  description: "The campaign of `campaign_id` differs from the request, or was cancelled",
  content: {
    "application/json": {
      schema: errorSchema,
      examples: {
        mismatch: {
          value: {
            error: "campaign_mismatch" as const,
            message:
              "'name_template' differs from the campaign's: repeat it, or start a new campaign, without campaign_id",
            details: { field: "name_template", provided: "order_update", expected: "parcel_update" },
            request_id: "0192f8ac-6172-7384-9f90-a1b2c3d4e5f6",
          },
        },
        cancelled: {
          value: {
            error: "campaign_cancelled" as const,
            message:
              "The campaign was cancelled and takes no more contacts: start a new one, without campaign_id",
            request_id: "0192f8ac-6172-7384-9f90-a1b2c3d4e5f6",
          },
        },
      },
    },
  },
};

/** A route that queues notifications: where it is, its body and its response. */
export interface NotificationRoute {
  method: "post";
  path: string;
  operationId: string;
  summary: string;
  description: string;
  /** The body in nested form. */
  body: JsonBody;
  response: JsonBody;
}

/**
 * Adds a route that queues the notifications of a channel, and responds before anything is sent. The order of the checks:
 * key, permission, body, sender, template or agent, schedule, rate and quota.
 */
export function addNotificationRoute<Request extends NotificationRequest>(
  app: App,
  { body, response, ...route }: NotificationRoute,
  channel: Channel<Request>,
): void {
  addRoute(app, {
    ...route,
    tags: ["Notifications"],
    request: {
      query: querySchema,
      headers: z.object({ "Idempotency-Key": z.string().max(255).optional() }),
      body: { required: true, ...body },
    },
    responses: {
      200: {
        description: "Stored; will be sent now, or at `scheduled_time`",
        ...response,
      },
      ...errorResponses([400, 401, 404, 409, 413, 422, 429], [403, 404]),
      409: additionConflict,
    },
  }, (c) => postNotification(c, channel));
}

async function postNotification<Request extends NotificationRequest>(
  c: AppContext,
  channel: Channel<Request>,
): Promise<Response> {
  const key = { keyHash: presentedKeyHash(c), permission: channel.permission };
  refuseFromMemory(c, key);
  await requireKeyForLargeBody(c, key);
  // A value, because a fault counts against the rate of the key before it is thrown.
  const read = await resultOf(readNotification(c, channel));
  if (!read.ok) throw await countFault(c, key, read.error);
  const result = await queueCampaign(c.get("services"), channel, { keyHash: key.keyHash, ...read.value });
  noteKey(c, result.key);
  if (result.kind === "refused") {
    c.get("services").refusedKeys.note(key, result);
    throw AppError.from(result.refusal);
  }
  if (result.kind === "failed") throw result.error;
  if (result.isReplay) c.header("Idempotent-Replayed", "true");
  return c.json(result.response);
}

/** Reads the parameters of the URL. Checks them only if there are any but the key: a check costs some microseconds. */
function readQuery(c: AppContext): { flat: boolean; target: CampaignTarget } {
  const query = c.req.query();
  const hasOptions = "unflatten" in query || "campaign_id" in query || "more" in query;
  const { unflatten, campaign_id, more } = hasOptions ? checkQuery(querySchema, query) : {};
  return { flat: unflatten === "true", target: { campaignId: campaign_id ?? null, more: more === "true" } };
}

async function readNotification<Request extends NotificationRequest>(
  c: AppContext,
  channel: Channel<Request>,
): Promise<Omit<CampaignInput<Request>, "keyHash">> {
  const body = await readJson(c, { maxBytes: MAX_BODY_BYTES });
  const { flat, target } = readQuery(c);
  const root = flat ? unflatten(body.value) : body.value;
  return {
    ...target,
    request: channel.read({ root, ...pickContacts(root, { flat }) }),
    idempotent: readIdempotencyKey(c, channel.endpoint, body.text),
  };
}
