import { cancelCampaign } from "../_shared/db/campaigns/campaign_control.ts";
import type { App } from "../_shared/http/app/context.ts";
import { addControlRoute, type ControlRoute } from "./control_route.ts";

const route: ControlRoute = {
  method: "post",
  path: "/notify/cancel",
  operationId: "cancelCampaign",
  summary: "Cancel the rest of a campaign",
  description: "Works on scheduled, sending and paused campaigns. Messages in flight cannot be recalled.",
  counter: {
    name: "stopped",
    description: "Will not be sent; `cancelled` from now on",
    schema: "CancelledCampaign",
    leaves: "cancelled",
  },
  "x-effect": "stops",
  control: cancelCampaign,
};

/**
 * `POST /notify/cancel` cancels every notification that has not left yet, paused or not.
 *
 * Responds with `{success, campaign_id, status, stopped, in_flight}`. Fails with `unauthorized`, `validation_failed` or
 * `rate_limit_exceeded`; 403 and 404 have the short form.
 */
export function registerPostCancel(app: App): void {
  addControlRoute(app, route);
}
