import { createBaseApp } from "../_shared/http/app/app.ts";
import type { App } from "../_shared/http/app/context.ts";
import type { Services } from "../_shared/services.ts";
import { registerGetAgents } from "./agents/get_agents.ts";
import { registerPostAgents } from "./agents/post_agents.ts";
import { registerAgentStatus } from "./agents/post_status.ts";
import { registerGetAudit } from "./audit/get_audit.ts";
import { registerGetCall } from "./calls/get_call.ts";
import { registerGetCalls } from "./calls/get_calls.ts";
import { registerGetCampaign } from "./campaigns/get_campaign.ts";
import { registerGetCampaigns } from "./campaigns/get_campaigns.ts";
import { registerGetRecipients } from "./campaigns/get_recipients.ts";
import { registerControl } from "./campaigns/post_control.ts";
import { registerGetCompanies } from "./get_companies.ts";
import { registerGetOverview } from "./overview/get_overview.ts";
import { registerPutRate, registerResumeSender } from "./senders/change_sender.ts";
import { registerGetSender } from "./senders/get_sender.ts";
import { registerGetSenders } from "./senders/get_senders.ts";
import { registerGetTemplate } from "./templates/get_template.ts";
import { registerGetTemplates } from "./templates/get_templates.ts";
import { registerPostSync } from "./templates/post_sync.ts";
import { registerPostTemplates } from "./templates/post_templates.ts";

/** `/manage` and everything below it: what the members of a company see and steer, with their own access tokens. */
export function createApp(services: Services): App {
  const app = createBaseApp(services, { pages: "console" });
  registerGetCompanies(app);
  registerGetAgents(app);
  registerPostAgents(app);
  registerAgentStatus(app);
  registerGetAudit(app);
  registerGetCalls(app);
  registerGetCall(app);
  registerGetCampaigns(app);
  registerGetCampaign(app);
  registerGetRecipients(app);
  registerControl(app);
  registerGetOverview(app);
  registerGetSenders(app);
  registerGetSender(app);
  registerPutRate(app);
  registerResumeSender(app);
  registerGetTemplates(app);
  registerPostTemplates(app);
  registerPostSync(app);
  registerGetTemplate(app);
  return app;
}
