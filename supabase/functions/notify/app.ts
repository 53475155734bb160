import type { App } from "../_shared/http/app/context.ts";
import { createBaseApp } from "../_shared/http/app/app.ts";
import type { Services } from "../_shared/services.ts";
import { registerGetStatus } from "./get_status.ts";
import { registerGetTemplateComponents } from "./get_template_components.ts";
import { registerGetTemplates } from "./get_templates.ts";
import { registerPostVoice } from "./post_voice.ts";
import { registerPostNotify } from "./post_notify.ts";

/** `/notify` and everything below it: the platform routes by the first path segment. */
export function createApp(services: Services): App {
  const app = createBaseApp(services);
  registerPostNotify(app);
  registerPostVoice(app);
  registerGetStatus(app);
  registerGetTemplates(app);
  registerGetTemplateComponents(app);
  return app;
}
