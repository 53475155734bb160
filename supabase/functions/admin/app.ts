import type { App } from "../_shared/http/app/context.ts";
import { createBaseApp } from "../_shared/http/app/app.ts";
import type { Services } from "../_shared/services.ts";
import { registerPostCreateTemplate } from "./post_create_template.ts";

/** `POST /admin/chatapp/create/template`. */
export function createApp(services: Services): App {
  const app = createBaseApp(services);
  registerPostCreateTemplate(app);
  return app;
}
