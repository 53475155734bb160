import type { App } from "../_shared/http/app/context.ts";
import { createBaseApp } from "../_shared/http/app/app.ts";
import type { Services } from "../_shared/services.ts";
import { registerDeleteSuppressions } from "./delete_suppressions.ts";
import { registerGetConsents } from "./get_consents.ts";
import { registerGetReplies } from "./get_replies.ts";
import { registerGetReplyMedia } from "./get_reply_media.ts";
import { registerPostReplies } from "./post_replies.ts";
import { registerGetExport } from "./get_export.ts";
import { registerGetSuppressions } from "./get_suppressions.ts";
import { registerPostConsents } from "./post_consents.ts";
import { registerPostErase } from "./post_erase.ts";
import { registerPostSuppressions } from "./post_suppressions.ts";

/** `/contacts` and everything below it: who may be written to, and what is known about a person. */
export function createApp(services: Services): App {
  const app = createBaseApp(services);
  registerGetSuppressions(app);
  registerPostSuppressions(app);
  registerDeleteSuppressions(app);
  registerGetConsents(app);
  registerPostConsents(app);
  registerGetExport(app);
  registerGetReplies(app);
  registerPostReplies(app);
  registerGetReplyMedia(app);
  registerPostErase(app);
  return app;
}
