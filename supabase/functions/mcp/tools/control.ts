import { z } from "@hono/zod-openapi";
import { controlCampaign, controlledSchema } from "../../_shared/http/company/control_campaign.ts";
import { requireCampaign } from "../../_shared/http/guards/require_campaign.ts";
import { defineTool, idArgument, type Tool } from "../tool.ts";

interface Control {
  verb: "pause" | "resume" | "cancel";
  title: string;
  description: string;
  isDestructive: boolean;
  effect: "stops" | "acts";
}

export const pauseCampaignTool = controlTool({
  verb: "pause",
  title: "Pause a campaign",
  description: "Holds what has not left of a campaign, until it is resumed.",
  isDestructive: false,
  effect: "stops",
});

export const resumeCampaignTool = controlTool({
  verb: "resume",
  title: "Resume a campaign",
  description: "Releases what a pause holds of a campaign: its messages or calls leave.",
  isDestructive: false,
  effect: "acts",
});

export const cancelCampaignTool = controlTool({
  verb: "cancel",
  title: "Cancel a campaign",
  description: "Cancels what has not left of a campaign, for good.",
  isDestructive: true,
  effect: "stops",
});

function controlTool({ verb, title, description, isDestructive, effect }: Control): Tool {
  return defineTool({
    name: `${verb}_campaign`,
    title,
    description: `${description} A repeated use changes nothing.`,
    hints: {
      readOnlyHint: false,
      destructiveHint: isDestructive,
      idempotentHint: true,
      // Messages may leave because of it.
      openWorldHint: effect === "acts",
    },
    effect,
    role: "operator",
    permission: "channel",
    input: z.strictObject({ campaign_id: idArgument("campaign", "list_campaigns") }),
    output: controlledSchema,
    async run({ services, caller, args: { campaign_id: campaignId } }) {
      const ids = await requireCampaign(services.sql, caller, campaignId);
      return await controlCampaign(services, verb, ids, caller.by);
    },
  });
}
