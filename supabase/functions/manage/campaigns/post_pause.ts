import type { App } from "../../_shared/http/app/context.ts";
import { addControl } from "./control.ts";

/** `POST …/campaigns/{campaign_id}/pause` holds a campaign. */
export function registerPostPause(app: App): void {
  addControl(app, {
    verb: "pause",
    summary: "Pause a campaign",
    description:
      "After the response, only messages counted in `in_flight` still leave. Time continues: messages held too long " +
      "fail as `expired`. A finished campaign stays as it is.",
    leaves: "paused",
    effect: "stops",
  });
}
