import { resumeCampaign } from "../_shared/db/campaign_control.ts";
import type { App } from "../_shared/http/app.ts";
import { addControlRoute, type ControlRoute } from "./control_route.ts";

const route: ControlRoute = {
  method: "post",
  path: "/notify/resume",
  summary: "Let a paused campaign go on",
  description: "What became due meanwhile leaves at once, what is scheduled for later leaves at its time.",
  counter: { name: "resumed", description: "Released by this request; 0 when nothing was held" },
  control: resumeCampaign,
};

/**
 * `POST /notify/resume` lets go what `POST /notify/pause` held: at once when its time has passed, otherwise at its time.
 *
 * Answers `{success, campaign_id, status, resumed, in_flight}`. Fails with `unauthorized`, `validation_failed` or
 * `rate_limit_exceeded`; 403 and 404 have the short shape.
 */
export function registerPostResume(app: App): void {
  addControlRoute(app, route);
}
