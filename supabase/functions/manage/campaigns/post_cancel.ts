import type { App } from "../../_shared/http/app/context.ts";
import { addControl } from "./control.ts";

/** `POST …/campaigns/{campaign_id}/cancel` ends a campaign. */
export function registerPostCancel(app: App): void {
  addControl(app, {
    verb: "cancel",
    summary: "Cancel a campaign",
    description: "Works on scheduled, sending and paused campaigns. Messages in flight cannot be recalled.",
    leaves: "cancelled",
    effect: "stops",
  });
}
