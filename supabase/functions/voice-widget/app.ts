import type { App } from "../_shared/http/app/context.ts";
import { createBaseApp } from "../_shared/http/app/app.ts";
import type { Services } from "../_shared/services.ts";
import { registerGetChatByConversation } from "./get_chat_by_conversation.ts";
import { registerGetSignedUrl } from "./get_signed_url.ts";
import { registerGetVoiceWidget } from "./get_voice_widget.ts";
import { registerPostFeedback } from "./post_feedback.ts";
import { registerPostHandoff } from "./post_handoff.ts";
import { registerPostHandoffEnd } from "./post_handoff_end.ts";
import { registerPostHandoffJoin } from "./post_handoff_join.ts";
import { registerPostSearch } from "./post_search.ts";

/** Creates `/voice-widget`: the look of a voice widget, its sessions and the routes of its iframe. */
export function createApp(services: Services): App {
  const app = createBaseApp(services, { pages: "any" });
  registerGetVoiceWidget(app);
  registerGetSignedUrl(app);
  registerPostSearch(app);
  registerPostFeedback(app);
  registerGetChatByConversation(app);
  registerPostHandoff(app);
  registerPostHandoffEnd(app);
  registerPostHandoffJoin(app);
  return app;
}
