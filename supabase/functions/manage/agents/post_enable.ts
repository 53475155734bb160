import type { App } from "../../_shared/http/app/context.ts";
import { addAgentSwitch } from "./change_status.ts";

/** `POST …/agents/{agent_id}/enable`. */
export function registerPostEnable(app: App): void {
  addAgentSwitch(app, {
    verb: "enable",
    summary: "Let an agent make calls again",
    status: "active",
    effect: "acts",
  });
}
