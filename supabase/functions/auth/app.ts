import type { App } from "../_shared/http/app/context.ts";
import { createBaseApp } from "../_shared/http/app/app.ts";
import type { Services } from "../_shared/services.ts";
import { registerPostAuth } from "./post_auth.ts";

/** `POST /auth`, also for the pages of the console. */
export function createApp(services: Services): App {
  const app = createBaseApp(services, { pages: "console" });
  registerPostAuth(app);
  return app;
}
