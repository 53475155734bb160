import { z } from "@hono/zod-openapi";
import { authorOf } from "../../contacts/message_authors.ts";
import { type CampaignDetails, readCampaignDetails } from "../../db/campaigns/campaigns.ts";
import type { CampaignIds } from "../../db/campaigns/campaign_control.ts";
import type { Services } from "../../services.ts";
import { AppError } from "../../errors.ts";
import { showRow } from "../app/show_row.ts";
import { authorSchema } from "./author_schemas.ts";
import { waitOf } from "./wait.ts";
import { campaignExample, campaignSchema } from "./campaigns.ts";
import { orNull } from "../../values/or_null.ts";

const time = z.iso.datetime().nullable();

const senderSchema = z.object({
  sender_id: z.guid(),
  number: z.string(),
  status: z.enum(["active", "stopped"]),
  stopped_reason: z.string().nullable(),
  stopped_code: z.string().nullable(),
}).openapi("CampaignSender");

const templateSchema = z.object({
  template_id: z.guid(),
  name: z.string(),
  language: z.string(),
  status: z.string().nullable().openapi({ description: "Now; null when there is no such template any more" }),
  rejected_reason: z.string().nullable(),
}).openapi("CampaignTemplate");

const agentSchema = z.object({
  agent_id: z.guid(),
  name: z.string(),
  status: z.enum(["active", "disabled"]),
}).openapi("CampaignAgent");

/** A campaign with its sender, its content and its rate. */
export const campaignDetailsSchema = campaignSchema.extend({
  paused_detail: z.string().nullable().openapi({ description: "`paused_reason` in a sentence" }),
  name_event: z.string().nullable(),
  recipient_time: z.string().nullable().openapi({
    description:
      "The time of day of each recipient at which it is sent; `scheduled_time` is the first of them",
  }),
  spread_over: z.string().nullable().openapi({ description: "The period over which it is spread" }),
  created_by: authorSchema.openapi({
    description: "Who made it: a member, or a system of yours with the key",
  }),
  resend_of: orNull(z.object({ campaign_id: z.guid(), campaign_name: z.string() }).openapi("ResendOf"))
    .openapi({
      description: "The campaign to whose failures it was sent again",
    }),
  upload_id: z.guid().nullable().openapi({
    description: "The file or audience that it was made of; null where it was not made of one",
  }),
  paused_at: time,
  cancelled_at: time,
  archived_at: time.openapi({
    description: "Since then its messages are in the archive, and only its counters are here",
  }),
  sender: senderSchema,
  template: orNull(templateSchema).openapi({ description: "Null for calls" }),
  agent: orNull(agentSchema).openapi({ description: "Null for messages" }),
  rate_per_minute: z.number().min(0).nullable().openapi({
    description:
      "Recipients done per minute since it started, pauses included; null unless it is being sent. Two readings of the " +
      "counters give the rate between them",
  }),
  seconds_left: z.number().int().min(0).nullable().openapi({
    description: "At this rate; null while it is 0",
  }),
}).openapi("CampaignDetails");

export const campaignDetailsExample: z.input<typeof campaignDetailsSchema> = {
  ...campaignExample,
  paused_detail: null,
  name_event: null,
  recipient_time: null,
  spread_over: null,
  created_by: { kind: "member", user_id: "0192f8a0-1111-4222-8333-444455556666", name: "Ana" },
  resend_of: null,
  upload_id: "0192f8a6-4e3f-7052-8b6c-7d8e9f0a1b2c",
  paused_at: null,
  cancelled_at: null,
  archived_at: null,
  sender: {
    sender_id: "0192f8a7-4e3f-7052-8b6c-7d8e9f0a1b2c",
    number: "15550001111",
    status: "active",
    stopped_reason: null,
    stopped_code: null,
  },
  template: {
    template_id: "0192f8a9-3e4f-7051-8c6d-7e8f9a0b1c2d",
    name: "order_update",
    language: "en_US",
    status: "approved",
    rejected_reason: null,
  },
  agent: null,
  rate_per_minute: 25,
  seconds_left: 120,
};

/** Returns a campaign with its counters and what it is sent by. Throws `not_found`. */
export async function showCampaign(
  { sql, memberNames }: Pick<Services, "sql" | "memberNames">,
  ids: CampaignIds,
): Promise<z.input<typeof campaignDetailsSchema>> {
  const campaign = await readCampaignDetails(sql, ids);
  if (campaign === undefined) throw new AppError("not_found", "Campaign not found");
  const author = await authorOf(memberNames, campaign.created_by);
  return showRow(campaignDetailsSchema, {
    ...campaign,
    created_by: author,
    wait: waitOf(campaign),
    ...paceOf(campaign),
  });
}

/** The mean rate since the start, and the time left at it. */
function paceOf(
  { status, total, pending, processing, started_before_s }: CampaignDetails,
): { rate_per_minute: number | null; seconds_left: number | null } {
  if (status !== "sending" || started_before_s === null) return { rate_per_minute: null, seconds_left: null };
  const left = pending + processing;
  const perSecond = (total - left) / Math.max(1, started_before_s);
  return {
    rate_per_minute: Math.round(perSecond * 600) / 10,
    seconds_left: perSecond === 0 ? null : Math.ceil(left / perSecond),
  };
}
