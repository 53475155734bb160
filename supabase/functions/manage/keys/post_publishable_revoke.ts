import type { App } from "../../_shared/http/app/context.ts";
import { addPublishableKeySwitch } from "./publishable_key.ts";

/** `POST …/keys/publishable/{key_id}/revoke`. */
export function registerPostPublishableRevoke(app: App): void {
  addPublishableKeySwitch(app, { verb: "revoke", isActive: false });
}
