import type { App } from "../_shared/http/app/context.ts";
import { createBaseApp } from "../_shared/http/app/app.ts";
import type { Services } from "../_shared/services.ts";
import { registerPostDispatch } from "./post_dispatch.ts";

/** `POST /dispatch`. */
export function createApp(services: Services): App {
  const app = createBaseApp(services);
  registerPostDispatch(app);
  return app;
}
