import { z } from "@hono/zod-openapi";
import { commonFields } from "../../_shared/campaigns/notification_request.ts";
import { moveCampaign } from "../../_shared/db/campaigns/campaign_control.ts";
import { missingField } from "../../_shared/errors.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { controlledSchema } from "../../_shared/http/company/control_campaign.ts";
import { requireCampaign } from "../../_shared/http/guards/require_campaign.ts";
import { dueTime, utcSeconds } from "../../_shared/scheduling/due_time.ts";
import { addCompanyRoute } from "../company_route.ts";
import { notScheduled } from "./not_scheduled.ts";

/** `POST …/campaigns/{campaign_id}/move` gives a scheduled campaign another time. */
export function registerPostMove(app: App): void {
  addCompanyRoute(app, {
    method: "post",
    path: "/campaigns/{campaign_id}/move",
    operationId: "moveCampaign",
    summary: "Give a scheduled campaign another time",
    description:
      "What waits leaves that much later or earlier, and nothing leaves meanwhile. At `recipient_time` only the day counts. " +
      "A paused campaign stays paused. A campaign that has started, or still takes contacts, is a 409. A repeated request " +
      "changes nothing.",
    params: z.object({ campaign_id: z.guid() }),
    body: {
      schema: z.strictObject({
        datetime_sending: z.string({ error: "YYYY-MM-DDTHH:MM:SS" }).openapi({
          description: "As in POST /notify",
          pattern: "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}$",
        }),
        timezone: commonFields.timezone,
      }).openapi("CampaignMove"),
      example: { datetime_sending: "2030-12-02T09:00:00", timezone: "Europe/Madrid" },
    },
    response: {
      schema: controlledSchema.extend({ scheduled_time: z.iso.datetime() }).openapi("MovedCampaign"),
      example: {
        campaign_id: "0192f8a6-3d2e-7f41-9a5b-6c7d8e9f0a1b",
        status: "scheduled",
        changed: 40,
        in_flight: 0,
        scheduled_time: "2030-12-02T08:00:00Z",
      },
    },
    refusals: [409],
  }, async (c, { caller, params: { campaign_id: campaignId }, body: { datetime_sending, timezone } }) => {
    const services = c.get("services");
    const ids = await requireCampaign(services.sql, caller, campaignId);
    const to = dueTime(datetime_sending, timezone, services.now());
    if (to === null) throw missingField("datetime_sending");
    const moved = await moveCampaign(services.sql, ids, { to, timezone: timezone ?? null }, caller.by);
    const { outcome, scheduled_time, status, changed, in_flight } = moved;
    if (outcome === "open" || outcome === "started") throw notScheduled(outcome, status);
    services.newWork.notify();
    const scheduled = utcSeconds(scheduled_time!);
    return { campaign_id: campaignId, status, changed, in_flight, scheduled_time: scheduled };
  });
}
