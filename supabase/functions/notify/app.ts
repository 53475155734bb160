import { type App, createBaseApp } from "../_shared/http/app.ts";
import type { Services } from "../_shared/services.ts";
import { registerGetStatus } from "../notify-status/get_status.ts";
import { registerGetTemplateComponents } from "../templates/get_template_components.ts";
import { registerGetTemplates } from "../templates/get_templates.ts";
import { registerPostVoice } from "../voice/post_voice.ts";
import { registerGetRecipients } from "./get_recipients.ts";
import { registerPostCancel } from "./post_cancel.ts";
import { registerPostNotify } from "./post_notify.ts";
import { registerPostPause } from "./post_pause.ts";
import { registerPostResume } from "./post_resume.ts";

/** `/notify` and everything below it: the platform routes by the first path segment. */
export function createApp(services: Services): App {
  const app = createBaseApp(services);
  registerPostNotify(app);
  registerPostCancel(app);
  registerPostPause(app);
  registerPostResume(app);
  registerGetRecipients(app);
  registerGetStatus(app);
  registerGetTemplates(app);
  registerGetTemplateComponents(app);
  registerPostVoice(app);
  return app;
}
