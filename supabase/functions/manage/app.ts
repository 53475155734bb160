import { createBaseApp } from "../_shared/http/app/app.ts";
import type { App } from "../_shared/http/app/context.ts";
import type { Services } from "../_shared/services.ts";
import { registerGetAudit } from "./audit/get_audit.ts";
import { registerControl } from "./campaigns/post_control.ts";
import { registerGetCampaigns } from "./campaigns/get_campaigns.ts";
import { registerGetHistory } from "./contacts/get_history.ts";
import { registerGetPerson } from "./contacts/get_person.ts";
import { registerConsents, registerSuppressions } from "./contacts/ledger.ts";
import { registerPostErase } from "./contacts/post_erase.ts";
import { registerGetConversations } from "./conversations/get_conversations.ts";
import { registerGetMessages } from "./conversations/get_messages.ts";
import { registerHandoffs } from "./conversations/handoffs.ts";
import { registerPostAssign } from "./conversations/post_assign.ts";
import { registerPostClose } from "./conversations/post_close.ts";
import { registerPostReply } from "./conversations/post_reply.ts";
import { registerGetEvents } from "./events/get_events.ts";
import { registerGetCompanies } from "./get_companies.ts";

/** `/manage` and everything below it: what the members of a company see and steer, with their own access tokens. */
export function createApp(services: Services): App {
  const app = createBaseApp(services, { pages: "console" });
  registerGetCompanies(app);
  registerGetCampaigns(app);
  registerControl(app);
  registerGetAudit(app);
  registerGetPerson(app);
  registerGetHistory(app);
  registerSuppressions(app);
  registerConsents(app);
  registerPostErase(app);
  // Before the conversation with an id.
  registerHandoffs(app);
  registerGetConversations(app);
  registerGetMessages(app);
  registerPostReply(app);
  registerPostAssign(app);
  registerPostClose(app);
  registerGetEvents(app);
  return app;
}
