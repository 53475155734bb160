import { type App, createBaseApp } from "../_shared/http/app.ts";
import type { Services } from "../_shared/services.ts";
import { registerPostVoice } from "./post_voice.ts";

/** `POST /notify/voice`; mounted by `notify`. */
export function createApp(services: Services): App {
  const app = createBaseApp(services);
  registerPostVoice(app);
  return app;
}
