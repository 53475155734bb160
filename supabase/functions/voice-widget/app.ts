import { allowAnyOrigin } from "../_shared/http/any_origin.ts";
import { type App, createBaseApp } from "../_shared/http/app.ts";
import type { Services } from "../_shared/services.ts";
import { registerGetVoiceWidget } from "./get_voice_widget.ts";

/** `/voice-widget`: what a voice widget looks like, and what its iframe needs for a session. */
export function createApp(services: Services): App {
  const app = createBaseApp(services);
  app.use("*", allowAnyOrigin());
  registerGetVoiceWidget(app);
  return app;
}
