import type { App } from "../../_shared/http/app/context.ts";
import { addAgentSwitch } from "./change_status.ts";

/** `POST …/agents/{agent_id}/disable`. */
export function registerPostDisable(app: App): void {
  addAgentSwitch(app, {
    verb: "disable",
    summary: "Let an agent make no more calls",
    status: "disabled",
    effect: "stops",
  });
}
