import { z } from "@hono/zod-openapi";
import { hashAccessKey } from "../_shared/access/new_keys.ts";
import { checkQuery } from "../_shared/check_fields.ts";
import { type CampaignRow, readCampaign } from "../_shared/db/campaigns/campaigns.ts";
import { AppError, missingField } from "../_shared/errors.ts";
import { type ApiRoute, json } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App } from "../_shared/http/app/context.ts";
import { errorResponses } from "../_shared/http/app/error_responses.ts";
import { COMPANY_KEY } from "../_shared/http/app/security.ts";
import { accessKeyParam, givenKey } from "../_shared/http/guards/access_key.ts";
import {
  campaignCounters,
  campaignStateSchema,
  channelSchema,
  COUNTERS_EXAMPLE,
} from "../_shared/http/app/shared_schemas.ts";
import { optionalWaitSchema, waitOf } from "../_shared/http/company/wait.ts";
import { showRow } from "../_shared/http/app/show_row.ts";

const time = z.iso.datetime().nullable();

const responseSchema = z.object({
  success: z.literal(true),
  campaign_id: z.uuid(),
  campaign_name: z.string(),
  channel: channelSchema,
  notification_type: z.string(),
  status: campaignStateSchema,
  ...campaignCounters,
  created_at: z.iso.datetime(),
  scheduled_time: time,
  started_at: time,
  completed_at: time,
  open_until: z.iso.datetime().optional().openapi({
    description: "Only there while the campaign is open for more requests: when it closes by itself",
  }),
  paused_reason: z.enum(["sender_stopped", "template_not_approved", "operator"]).optional().openapi({
    description:
      "Only there while `status` is `paused`: the platform refuses the sender, the template is not " +
      "approved, or a member paused the campaign",
  }),
  paused_detail: z.string().optional().openapi({
    description: "The same in words for people",
    example: "The template order_update is disabled, not approved",
  }),
  wait: optionalWaitSchema.openapi({
    description:
      "Only there while it is being sent and nothing of it can leave: why, since when and until when",
  }),
}).openapi("CampaignStatus");

const querySchema = z.object({
  access_key: accessKeyParam,
  campaign_id: z.string().openapi({
    description: "The `inquiry_set_id` of the response that began the campaign",
    example: "0192f8a6-3d2e-7f41-9a5b-6c7d8e9f0a1b",
  }),
});

const route: ApiRoute = {
  method: "get",
  path: "/notify/status",
  operationId: "getCampaignStatus",
  summary: "Read a campaign's status and counters",
  description: "Never rate limited. Any key of the company may ask, whatever its permissions.",
  tags: ["Notifications"],
  security: COMPANY_KEY,
  request: { query: querySchema },
  responses: {
    200: {
      description: "The campaign's counters",
      ...json(responseSchema, {
        success: true,
        campaign_id: "0192f8a6-3d2e-7f41-9a5b-6c7d8e9f0a1b",
        campaign_name: "Order updates",
        channel: "whatsapp",
        notification_type: "utility",
        status: "sending",
        ...COUNTERS_EXAMPLE,
        created_at: "2026-12-01T09:00:00Z",
        scheduled_time: null,
        started_at: "2026-12-01T09:00:01Z",
        completed_at: null,
      }),
    },
    ...errorResponses([], [400, 404, 500, 503]),
  },
};

/**
 * `GET /notify/status` reports how far a campaign is, chat or voice. All its errors have the short form: 400 for a
 * missing parameter, 404 `Invalid access_key` and `Campaign not found`.
 */
export function registerGetStatus(app: App): void {
  addRoute(app, route, async (c) => {
    const key = givenKey(c);
    if (key === undefined) {
      if (c.req.header("Authorization") === undefined) throw missingField("access_key");
      throw new AppError("not_found", "Invalid access_key");
    }
    const query = checkQuery(querySchema, c.req.query());
    const found = await readCampaign(c.var.services.sql, {
      keyHash: hashAccessKey(key),
      campaignId: z.uuid().safeParse(query.campaign_id).data ?? null,
    });
    if (!found) throw new AppError("not_found", "Invalid access_key");
    c.set("companyId", found.company_id);
    c.set("keyId", found.key_id);
    if (!found.campaign) throw new AppError("not_found", "Campaign not found");
    return c.json(showCampaign(found.campaign));
  }, { errorShape: "short" });
}

/** Returns a campaign without what does not apply to it now. */
function showCampaign({ paused_reason, paused_detail, open_until, ...row }: CampaignRow) {
  const wait = waitOf(row);
  return showRow(responseSchema, {
    ...row,
    success: true,
    ...(open_until && { open_until }),
    ...(paused_reason && paused_detail && { paused_reason, paused_detail }),
    ...(wait && { wait }),
  });
}
