import { pauseCampaign } from "../_shared/db/campaign_control.ts";
import type { App } from "../_shared/http/app.ts";
import { addControlRoute, type ControlRoute } from "./control_route.ts";

const route: ControlRoute = {
  method: "post",
  path: "/notify/pause",
  summary: "Hold what has not left of a campaign",
  description:
    "After the answer nothing leaves but what it counts in flight. Times to live run on: what is " +
    "held for too long fails as `expired`. A campaign that is over stays as it is.",
  counter: { name: "paused", description: "Held by this request; 0 when all were held already" },
  control: pauseCampaign,
};

/**
 * `POST /notify/pause` holds what has not left yet until `POST /notify/resume`.
 *
 * Answers `{success, campaign_id, status, paused, in_flight}`. Fails with `unauthorized`, `validation_failed` or
 * `rate_limit_exceeded`; 403 and 404 have the short shape.
 */
export function registerPostPause(app: App): void {
  addControlRoute(app, route);
}
