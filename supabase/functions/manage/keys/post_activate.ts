import type { App } from "../../_shared/http/app/context.ts";
import { addKeySwitch } from "./switch_key.ts";

/** `POST …/keys/activate`. */
export function registerPostKeyActivate(app: App): void {
  addKeySwitch(app, { verb: "activate", summary: "Activate the company's revoked key", isActive: true });
}
