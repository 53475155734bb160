import type { App } from "../_shared/http/app/context.ts";
import { createBaseApp } from "../_shared/http/app/app.ts";
import type { Services } from "../_shared/services.ts";
import { registerPostApiKeys } from "./post_api_keys.ts";

/** `POST /api_keys`. */
export function createApp(services: Services): App {
  const app = createBaseApp(services, { pages: "console" });
  registerPostApiKeys(app);
  return app;
}
