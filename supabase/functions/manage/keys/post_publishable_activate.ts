import type { App } from "../../_shared/http/app/context.ts";
import { addPublishableKeySwitch } from "./publishable_key.ts";

/** `POST …/keys/publishable/{key_id}/activate`. */
export function registerPostPublishableActivate(app: App): void {
  addPublishableKeySwitch(app, { verb: "activate", isActive: true });
}
