import type { App } from "../../_shared/http/app/context.ts";
import { addControl } from "./control.ts";

/** `POST …/campaigns/{campaign_id}/resume` lets a paused campaign send again. */
export function registerPostResume(app: App): void {
  addControl(app, {
    verb: "resume",
    summary: "Resume a campaign",
    description: "What became due meanwhile leaves at once, what is scheduled for later leaves at its time.",
    leaves: "sending",
    effect: "acts",
  });
}
