import type { App } from "../../_shared/http/app/context.ts";
import { addControl } from "./control.ts";

/** `POST …/campaigns/{campaign_id}/pause` holds a campaign. */
export function registerPostPause(app: App): void {
  addControl(app, { verb: "pause", summary: "Pause a campaign", leaves: "paused", effect: "stops" });
}
