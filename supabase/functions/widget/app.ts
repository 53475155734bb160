import type { App } from "../_shared/http/app/context.ts";
import { createBaseApp } from "../_shared/http/app/app.ts";
import type { Services } from "../_shared/services.ts";
import { registerGetEvents } from "./get_events.ts";
import { registerGetFile } from "./get_file.ts";
import { registerGetLook } from "./get_look.ts";
import { registerGetMessages } from "./get_messages.ts";
import { registerGetPicture } from "./get_picture.ts";
import { registerGetWidget } from "./get_widget.ts";
import { registerPostConversations } from "./post_conversations.ts";
import { registerPostEmail } from "./post_email.ts";
import { registerPostFiles } from "./post_files.ts";
import { registerPostHandoff } from "./post_handoff.ts";
import { registerPostMessages } from "./post_messages.ts";
import { registerPostRating } from "./post_rating.ts";
import { registerPostRead } from "./post_read.ts";
import { registerPostTyping } from "./post_typing.ts";

/** Creates `/widget`: the look of a chat widget, and its conversations. */
export function createApp(services: Services): App {
  const app = createBaseApp(services, { pages: "any" });
  registerGetWidget(app);
  registerGetLook(app);
  registerPostConversations(app);
  registerPostMessages(app);
  registerPostFiles(app);
  registerGetMessages(app);
  registerGetFile(app);
  registerGetPicture(app);
  registerGetEvents(app);
  registerPostTyping(app);
  registerPostRead(app);
  registerPostEmail(app);
  registerPostRating(app);
  registerPostHandoff(app);
  return app;
}
