import { resumeCampaign } from "../_shared/db/campaigns/campaign_control.ts";
import type { App } from "../_shared/http/app/context.ts";
import { addControlRoute, type ControlRoute } from "./control_route.ts";

const route: ControlRoute = {
  method: "post",
  path: "/notify/resume",
  operationId: "resumeCampaign",
  summary: "Resume a paused campaign",
  description: "What became due meanwhile leaves at once, what is scheduled for later leaves at its time.",
  counter: {
    name: "resumed",
    description: "Released by this request; 0 when nothing was held",
    schema: "ResumedCampaign",
    leaves: "sending",
  },
  "x-effect": "acts",
  control: resumeCampaign,
};

/**
 * `POST /notify/resume` releases what `POST /notify/pause` held: at once when its time has passed, otherwise at its time.
 *
 * Responds with `{success, campaign_id, status, resumed, in_flight}`. Fails with `unauthorized`, `validation_failed` or
 * `rate_limit_exceeded`; 403 and 404 have the short form.
 */
export function registerPostResume(app: App): void {
  addControlRoute(app, route);
}
