import type { Tool } from "../tool.ts";
import { getCall, listCallsTool } from "./calls.ts";
import { getCampaign, listCampaignsTool } from "./campaigns.ts";
import { findPersonTool, getTimelineTool, listContactsTool } from "./contacts.ts";
import { cancelCampaignTool, pauseCampaignTool, resumeCampaignTool } from "./control.ts";
import { listConversationsTool, listMessagesTool } from "./conversations.ts";
import { getDelivery, listDeliveriesTool, replayDeliveryTool } from "./deliveries.ts";
import { getHistory } from "./history.ts";
import { countAudienceTool, listContactListsTool } from "./lists.ts";
import { findRecipient } from "./recipients.ts";
import { sendTest } from "./send_test.ts";
import { listSendersTool } from "./senders.ts";
import { getTemplate, listTemplatesTool } from "./templates.ts";

/** The tools that change nothing. */
export const READ_TOOLS: Tool[] = [
  listCampaignsTool,
  getCampaign,
  findRecipient,
  findPersonTool,
  listContactsTool,
  getTimelineTool,
  listContactListsTool,
  countAudienceTool,
  listTemplatesTool,
  getTemplate,
  listSendersTool,
  listDeliveriesTool,
  getDelivery,
  listCallsTool,
  getCall,
  listConversationsTool,
  listMessagesTool,
  getHistory,
];

/** The tools that change something or send; they are there with `?write=1` only. */
export const WRITE_TOOLS: Tool[] = [
  sendTest,
  pauseCampaignTool,
  resumeCampaignTool,
  cancelCampaignTool,
  replayDeliveryTool,
];
