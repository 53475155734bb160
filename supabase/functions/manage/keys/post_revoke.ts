import type { App } from "../../_shared/http/app/context.ts";
import { addKeySwitch } from "./switch_key.ts";

/** `POST …/keys/revoke`. */
export function registerPostKeyRevoke(app: App): void {
  addKeySwitch(app, { verb: "revoke", summary: "Revoke the company's key", isActive: false });
}
