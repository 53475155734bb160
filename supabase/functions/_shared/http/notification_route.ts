import { z } from "@hono/zod-openapi";
import type { PresentedKey } from "../access/refused_keys.ts";
import { withoutDetails } from "../campaigns/batch.ts";
import type { Channel } from "../campaigns/channel.ts";
import { describeDryRun } from "../campaigns/dry_run/describe_dry_run.ts";
import { dryRunResponseSchema } from "../campaigns/dry_run/dry_run_response.ts";
import { type NotificationRequest, pickContacts } from "../campaigns/notification_request.ts";
import type { CampaignInput } from "../campaigns/plan_campaign.ts";
import { queueCampaign } from "../campaigns/queue_campaign.ts";
import type { QueueResult } from "../campaigns/queue_result.ts";
import { dryRunCampaign, type DryRunResult } from "../campaigns/dry_run/dry_run_campaign.ts";
import { unflatten } from "../campaigns/unflatten.ts";
import { checkQuery } from "../check_fields.ts";
import type { Services } from "../services.ts";
import type { JsonBody } from "./app/api_route.ts";
import { addRoute } from "./app/app.ts";
import type { App, AppContext } from "./app/context.ts";
import { errorResponses, errorSchema } from "./app/error_responses.ts";
import { COMPANY_KEY } from "./app/security.ts";
import { idempotencyHeaders, readIdempotencyKey, readJson } from "./body/read_body.ts";
import {
  accessKeyParam,
  countingFault,
  identifyKey,
  recordKey,
  rememberRefusal,
} from "./guards/access_key.ts";

/** 100 contacts with 10 KiB each. */
const MAX_BODY_BYTES = 1024 * 1024;

const flag = z.enum(["true", "false"], { error: "true or false" });

const querySchema = z.object({
  access_key: accessKeyParam,
  unflatten: flag.optional(),
  dry_run: flag.optional().openapi({
    description:
      "`true` makes every check, and responds what would become of each contact; nothing is stored",
  }),
  details: flag.optional().openapi({
    description:
      "`true`, with `contacts`: entries of `errors` have `index`, `field` and `code` too, and the response the " +
      "`notification_ids`",
  }),
  campaign_id: z.uuid({ error: "the inquiry_set_id of an earlier response" }).toLowerCase().optional()
    .openapi({
      description: "Adds the contacts to this campaign; without it, the request makes a new one",
    }),
  more: flag.optional().openapi({
    description: "`true`: more requests for this campaign will follow. It stays open, and reports no " +
      "`campaign.completed`, until a request without it, or an hour without any",
  }),
});

const OPTIONS = Object.keys(querySchema.shape).filter((name) => name !== "access_key");

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
 * key, permission, body, sender, template or agent, schedule, rate and quota. With `dry_run=true` it only makes them.
 */
export function addNotificationRoute<Request extends NotificationRequest>(
  app: App,
  { body, response, ...route }: NotificationRoute,
  channel: Channel<Request>,
): void {
  addRoute(app, {
    ...route,
    tags: ["Notifications"],
    security: COMPANY_KEY,
    request: {
      query: querySchema,
      headers: idempotencyHeaders,
      body: { required: true, ...body },
    },
    responses: {
      200: {
        description:
          "Stored; will be sent now, or at `scheduled_time`. With `dry_run=true`: what would become of it",
        ...orDryRun(route.operationId, response),
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
  const key = await identifyKey(c, channel.permission);
  const { input, isDryRun, hasDetails } = await countingFault(c, key, readNotification(c, channel, key));
  const services = c.get("services");
  if (isDryRun) {
    const { plan, key: { company_id: companyId } } = settle(
      c,
      key,
      await dryRunCampaign(services, channel, input),
    );
    const { contacts } = input.request;
    return c.json(await describeDryRun(services.sql, { companyId, plan, now: services.now(), contacts }));
  }
  const { isReplay, response } = settle(c, key, await queueTraced(services, channel, input));
  if (isReplay) c.header("Idempotent-Replayed", "true");
  return c.json(hasDetails ? response : withoutDetails(response));
}

async function queueTraced<Request extends NotificationRequest>(
  services: Services,
  channel: Channel<Request>,
  input: CampaignInput<Request>,
): Promise<QueueResult> {
  const facts = { "outbound.channel": channel.name };
  return await services.tracing.span("queue campaign", { facts }, async (span) => {
    const result = await queueCampaign(services, channel, input);
    const campaignId = result.kind === "queued" ? String(result.response.inquiry_set_id) : undefined;
    span.set({ "outbound.outcome": result.kind, "outbound.campaign_id": campaignId });
    return result;
  });
}

/** Reports the state of the key to the client. Returns the outcome; throws the refusal of a request, or its error. */
function settle<Outcome extends QueueResult | DryRunResult>(
  c: AppContext,
  key: PresentedKey,
  outcome: Outcome,
): Exclude<Outcome, { kind: "refused" | "failed" }> {
  recordKey(c, outcome.key);
  if (outcome.kind === "refused") throw rememberRefusal(c, key, outcome);
  if (outcome.kind === "failed") throw outcome.error;
  return outcome as Exclude<Outcome, { kind: "refused" | "failed" }>;
}

/** The form of a response, or of that to a dry run. */
function orDryRun(
  operationId: string,
  { content: { "application/json": { schema, example } } }: JsonBody,
): JsonBody {
  const name = `${operationId[0]!.toUpperCase()}${operationId.slice(1)}Result`;
  const either = z.union([schema, dryRunResponseSchema]).openapi(name);
  return { content: { "application/json": { schema: either, example } } };
}

/** The parameters that say how to respond. */
interface ResponseOptions {
  isDryRun: boolean;
  hasDetails: boolean;
}

/** Reads the parameters of the URL. Checks them only if there are any but the key: a check costs some microseconds. */
function readQuery(c: AppContext): z.infer<typeof querySchema> {
  const query = c.req.query();
  return OPTIONS.some((name) => name in query) ? checkQuery(querySchema, query) : {};
}

async function readNotification<Request extends NotificationRequest>(
  c: AppContext,
  channel: Channel<Request>,
  { keyHash }: PresentedKey,
): Promise<ResponseOptions & { input: CampaignInput<Request> }> {
  const body = await readJson(c, { maxBytes: MAX_BODY_BYTES, unchecked: "contacts" });
  const query = readQuery(c);
  const flat = query.unflatten === "true";
  const isDryRun = query.dry_run === "true";
  const root = flat ? unflatten(body.value) : body.value;
  const { bulk, contacts } = pickContacts(root, { flat });
  return {
    input: {
      keyHash,
      campaignId: query.campaign_id ?? null,
      more: query.more === "true",
      request: channel.read({ root, bulk, contacts }),
      idempotent: isDryRun ? null : readIdempotencyKey(c, channel.endpoint, body.text),
    },
    isDryRun,
    hasDetails: query.details === "true",
  };
}
