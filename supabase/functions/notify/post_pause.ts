import { pauseCampaign } from "../_shared/db/campaigns/campaign_control.ts";
import type { App } from "../_shared/http/app/context.ts";
import { addControlRoute, type ControlRoute } from "./control_route.ts";

const route: ControlRoute = {
  method: "post",
  path: "/notify/pause",
  operationId: "pauseCampaign",
  summary: "Pause a campaign",
  description:
    "After the response, only messages counted in `in_flight` still leave. Time continues: messages held too " +
    "long fail as `expired`. A finished campaign stays as it is.",
  counter: {
    name: "paused",
    description: "Held by this request; 0 when all were held already",
    schema: "PausedCampaign",
    leaves: "paused",
  },
  "x-effect": "stops",
  control: pauseCampaign,
};

/**
 * `POST /notify/pause` holds every notification that has not left yet until `POST /notify/resume`.
 *
 * Responds with `{success, campaign_id, status, paused, in_flight}`. Fails with `unauthorized`, `validation_failed` or
 * `rate_limit_exceeded`; 403 and 404 have the short form.
 */
export function registerPostPause(app: App): void {
  addControlRoute(app, route);
}
