import type { App } from "../_shared/http/app/context.ts";
import { createBaseApp } from "../_shared/http/app/app.ts";
import type { Services } from "../_shared/services.ts";
import { registerGetHealth } from "./get_health.ts";

/** `GET /health`. */
export function createApp(services: Services): App {
  const app = createBaseApp(services);
  registerGetHealth(app);
  return app;
}
