import { cancelCampaign } from "../_shared/db/campaign_control.ts";
import type { App } from "../_shared/http/app.ts";
import { addControlRoute, type ControlRoute } from "./control_route.ts";

const route: ControlRoute = {
  method: "post",
  path: "/notify/cancel",
  summary: "Stop what has not left of a campaign, for good",
  description: "Works on scheduled, sending and paused campaigns. What is in flight cannot be called back.",
  counter: { name: "stopped", description: "Will not be sent; `cancelled` from now on" },
  control: cancelCampaign,
};

/**
 * `POST /notify/cancel` stops what has not left yet, paused or not, for good.
 *
 * Answers `{success, campaign_id, status, stopped, in_flight}`. Fails with `unauthorized`, `validation_failed` or
 * `rate_limit_exceeded`; 403 and 404 have the short shape.
 */
export function registerPostCancel(app: App): void {
  addControlRoute(app, route);
}
