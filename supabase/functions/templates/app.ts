import { type App, createBaseApp } from "../_shared/http/app.ts";
import type { Services } from "../_shared/services.ts";
import { registerGetTemplateComponents } from "./get_template_components.ts";
import { registerGetTemplates } from "./get_templates.ts";

/** `GET /notify/templates` and `GET /notify/template/components`; mounted by `notify`. */
export function createApp(services: Services): App {
  const app = createBaseApp(services);
  registerGetTemplates(app);
  registerGetTemplateComponents(app);
  return app;
}
