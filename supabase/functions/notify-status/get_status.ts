import { type RouteConfig, z } from "@hono/zod-openapi";
import { hashAccessKey } from "../_shared/access/new_access_key.ts";
import { type CampaignRow, readCampaign } from "../_shared/db/campaign_status.ts";
import { AppError, missingField } from "../_shared/errors.ts";
import { addRoute, type App } from "../_shared/http/app.ts";
import { errorResponses } from "../_shared/http/error_responses.ts";
import { utcSeconds } from "../_shared/scheduling/utc_seconds.ts";

const count = z.number().int().min(0);
const time = z.iso.datetime().nullable();

const answerSchema = z.object({
  success: z.literal(true),
  campaign_id: z.uuid(),
  campaign_name: z.string(),
  channel: z.enum(["whatsapp", "voice"]),
  notification_type: z.string(),
  status: z.enum(["scheduled", "sending", "paused", "completed", "cancelled"]),
  total: count.openapi({ description: "pending + processing + sent + failed + cancelled" }),
  pending: count,
  processing: count,
  sent: count.openapi({
    description: "Taken by the platform and not failed; delivered and read are parts of it",
  }),
  delivered: count,
  read: count,
  failed: count,
  cancelled: count,
  rejected: count.openapi({ description: "Contacts of the request that were refused; not part of total" }),
  created_at: z.iso.datetime(),
  scheduled_time: time,
  started_at: time,
  completed_at: time,
  paused_reason: z.string().optional().openapi({
    description: "Only there while the campaign is held because its template is not approved: why",
    example: "The template order_update is disabled, not approved",
  }),
}).openapi("CampaignStatus");

const route: RouteConfig = {
  method: "get",
  path: "/notify/status",
  summary: "Follow a campaign",
  description: "Never rate limited. Any key of the company may ask, whatever its permissions.",
  tags: ["Notifications"],
  request: { query: z.object({ access_key: z.string(), campaign_id: z.string() }) },
  responses: {
    200: {
      description: "The campaign's counters",
      content: { "application/json": { schema: answerSchema } },
    },
    ...errorResponses([503], [400, 404, 500, 503]),
  },
};

/**
 * `GET /notify/status` tells how far a campaign is, chat or voice. All its errors have the short shape: 400 for a
 * missing parameter, 404 `Invalid access_key` and `Campaign not found`.
 */
export function registerGetStatus(app: App): void {
  addRoute(app, route, async (c) => {
    const [key, campaignId] = [c.req.query("access_key"), c.req.query("campaign_id")];
    if (!key) throw missingField("access_key");
    if (!campaignId) throw missingField("campaign_id");
    const found = await readCampaign(c.var.services.sql, {
      keyHash: hashAccessKey(key),
      campaignId: z.uuid().safeParse(campaignId).data ?? null,
    });
    if (!found) throw new AppError("not_found", "Invalid access_key");
    c.set("companyId", found.company_id);
    if (!found.campaign) throw new AppError("not_found", "Campaign not found");
    return c.json(answerFor(found.campaign));
  }, { errorShape: "short" });
}

function answerFor(campaign: CampaignRow): z.infer<typeof answerSchema> {
  const { id, name, created_at, scheduled_time, started_at, completed_at, ...rest } = campaign;
  const at = (moment: Date | null) => moment && utcSeconds(moment);
  return {
    success: true,
    campaign_id: id,
    campaign_name: name,
    channel: rest.channel,
    notification_type: rest.notification_type,
    status: rest.status,
    total: rest.total,
    pending: rest.pending,
    processing: rest.processing,
    sent: rest.sent,
    delivered: rest.delivered,
    read: rest.read,
    failed: rest.failed,
    cancelled: rest.cancelled,
    rejected: rest.rejected,
    created_at: utcSeconds(created_at),
    scheduled_time: at(scheduled_time),
    started_at: at(started_at),
    completed_at: at(completed_at),
    ...(rest.status === "paused" && rest.held_reason !== null && { paused_reason: rest.held_reason }),
  };
}
