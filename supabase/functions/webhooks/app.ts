import type { App } from "../_shared/http/app/context.ts";
import { createBaseApp } from "../_shared/http/app/app.ts";
import type { Services } from "../_shared/services.ts";
import { registerGetWhatsapp } from "./get_whatsapp.ts";
import { registerPostVoice } from "./post_voice.ts";
import { registerPostWhatsapp } from "./post_whatsapp.ts";

/** Builds the app of the routes to which the platforms post: `/webhooks/whatsapp` and `/webhooks/voice`. */
export function createApp(services: Services): App {
  const app = createBaseApp(services);
  registerGetWhatsapp(app);
  registerPostWhatsapp(app, services);
  registerPostVoice(app);
  return app;
}
