import { z } from "@hono/zod-openapi";
import { failuresSchema, showFailures } from "../../_shared/http/company/campaign_failures.ts";
import { campaignDetailsSchema, showCampaign } from "../../_shared/http/company/campaign_details.ts";
import { campaignFilters, campaignsSchema, listCampaigns } from "../../_shared/http/company/campaigns.ts";
import { onlyChannel } from "../../_shared/http/guards/company_caller.ts";
import { requireCampaign } from "../../_shared/http/guards/require_campaign.ts";
import { orNull } from "../../_shared/values/or_null.ts";
import { defineTool, flagArgument, idArgument, pageArguments, READS } from "../tool.ts";

export const listCampaignsTool = defineTool({
  name: "list_campaigns",
  title: "List campaigns",
  description: "Lists campaigns with their state and counters, the newest first.",
  hints: READS,
  effect: "reads",
  role: "viewer",
  permission: "channel",
  input: z.strictObject({ ...campaignFilters, open: flagArgument(campaignFilters.open), ...pageArguments }),
  output: campaignsSchema,
  run: async ({ services: { sql }, caller, args }) =>
    await listCampaigns(sql, caller.companyId, { ...args, channel: onlyChannel(caller, args.channel) }),
});

export const getCampaign = defineTool({
  name: "get_campaign",
  title: "Show a campaign",
  description:
    "Shows a campaign: its counters, why it waits, its sender and template, and what failed or was skipped, " +
    "grouped by code with its meaning and what to do.",
  hints: READS,
  effect: "reads",
  role: "viewer",
  permission: "channel",
  input: z.strictObject({ campaign_id: idArgument("campaign", "list_campaigns") }),
  output: z.object({ campaign: campaignDetailsSchema, failures: orNull(failuresSchema) }),
  async run({ services, caller, args: { campaign_id: campaignId } }) {
    const { sql } = services;
    const ids = await requireCampaign(sql, caller, campaignId);
    const campaign = await showCampaign(services, ids);
    const isArchived = campaign.archived_at !== null;
    return { campaign, failures: isArchived ? null : await showFailures(sql, ids) };
  },
});
