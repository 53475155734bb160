import { type App, createBaseApp } from "../_shared/http/app.ts";
import type { Services } from "../_shared/services.ts";
import { registerGetStatus } from "./get_status.ts";

/** `GET /notify/status`; mounted by `notify`. */
export function createApp(services: Services): App {
  const app = createBaseApp(services);
  registerGetStatus(app);
  return app;
}
