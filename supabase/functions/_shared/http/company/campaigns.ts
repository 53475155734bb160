import { z } from "@hono/zod-openapi";
import { readCampaigns } from "../../db/campaigns/campaigns.ts";
import type { Sql } from "../../db/driver/connect.ts";
import { waitOf, waitSchema } from "./wait.ts";
import { listFields, nextOf, type Page } from "../app/list_page.ts";
import {
  campaignCounters,
  campaignStateSchema,
  channelSchema,
  COUNTERS_EXAMPLE,
  flagSchema,
} from "../app/shared_schemas.ts";
import { showRow } from "../app/show_row.ts";
import { zonedTime } from "../../values/zoned_time.ts";

const time = z.iso.datetime().nullable();

/** A campaign in a list. */
export const campaignSchema = z.object({
  campaign_id: z.guid(),
  campaign_name: z.string(),
  channel: channelSchema,
  notification_type: z.string(),
  template_name: z.string().nullable().openapi({ description: "Null for calls" }),
  status: campaignStateSchema,
  paused_reason: z.string().nullable(),
  wait: waitSchema,
  ...campaignCounters,
  created_at: z.iso.datetime(),
  scheduled_time: time,
  timezone: z.string().nullable().openapi({ description: "Of the request" }),
  started_at: time,
  completed_at: time,
  open_until: time.openapi({ description: "Until when more contacts may be added; null when none may" }),
}).openapi("Campaign");

export const campaignExample: z.input<typeof campaignSchema> = {
  campaign_id: "0192f8a6-3d2e-7f41-9a5b-6c7d8e9f0a1b",
  campaign_name: "Autumn orders",
  channel: "whatsapp",
  notification_type: "utility",
  template_name: "order_update",
  status: "sending",
  paused_reason: null,
  wait: null,
  ...COUNTERS_EXAMPLE,
  created_at: "2026-12-01T09:00:00Z",
  scheduled_time: null,
  timezone: "Europe/Madrid",
  started_at: "2026-12-01T09:00:01Z",
  completed_at: null,
  open_until: null,
};

const TIME_FORM = "a time with its zone such as 2026-12-01T09:00:00Z";

/** The filters of a list of campaigns. */
export const campaignFilters = {
  channel: channelSchema.optional().openapi({ description: "Only messages, or only calls" }),
  name: z.string().max(200).optional().openapi({
    description: "A part of the campaign's name, in any case",
    example: "spring",
  }),
  from: zonedTime(TIME_FORM).optional().openapi({
    description: "Only those that were made at or after this time",
    example: "2026-12-01T00:00:00Z",
  }),
  to: zonedTime(TIME_FORM).optional().openapi({
    description: "Only those that were made before this time",
    example: "2027-01-01T00:00:00Z",
  }),
  open: flagSchema.optional().openapi({
    description: "`true`: those that are not over, `false`: those that are",
  }),
};

export const campaignsSchema = z.object({ campaigns: z.array(campaignSchema), ...listFields })
  .openapi("Campaigns");

/** Returns a page of a company's campaigns with their counters, newest first. */
export async function listCampaigns(
  sql: Sql,
  companyId: string,
  { open: isOpen, ...query }: Page<typeof campaignFilters>,
): Promise<z.input<typeof campaignsSchema>> {
  const rows = await readCampaigns(sql, { companyId, isOpen, ...query });
  return {
    campaigns: rows.map((row) => showRow(campaignSchema, { ...row, wait: waitOf(row) })),
    next: nextOf(rows, query.limit, "campaign_id"),
  };
}
