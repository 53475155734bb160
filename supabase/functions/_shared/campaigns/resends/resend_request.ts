import { z } from "@hono/zod-openapi";
import type { ResendCounts } from "../../db/campaigns/resends.ts";
import { utcSeconds } from "../../scheduling/due_time.ts";
import { commonFields, text } from "../notification_request.ts";

const MAX_CODES = 100;
const MAX_CODE_LENGTH = 64;
const CODES_FORMAT = `1 to ${MAX_CODES} codes as GET …/campaigns/{campaign_id}/failures returns them`;

/** The body of a resend; all fields are optional. */
export const resendSchema = z.strictObject({
  codes: z.array(text(MAX_CODE_LENGTH), { error: CODES_FORMAT }).min(1, CODES_FORMAT)
    .max(MAX_CODES, CODES_FORMAT).nullish().openapi({
      description: "Whom to resend to; left out: all codes whose `can_pass` is true",
      example: ["131049", "expired"],
    }),
  campaign_name: commonFields.campaign_name.nullish().openapi({
    description: "The name of the new campaign; left out: the same name",
  }),
  datetime_sending: commonFields.datetime_sending.nullish(),
  timezone: commonFields.timezone.nullish(),
}, { error: "one of codes, campaign_name, datetime_sending, timezone" }).openapi("Resend");

export type ResendRequest = z.infer<typeof resendSchema>;

export const resendResponseSchema = z.object({
  message: z.string(),
  inquiry_set_id: z.uuid().nullable().openapi({
    description: "The new campaign; null when there is no recipient to resend to",
  }),
  resend_of: z.uuid(),
  total: z.number().int().openapi({ description: "Who failed with these codes and was not resent yet" }),
  processed: z.number().int().openapi({ description: "Who is resent" }),
  failed: z.number().int().openapi({ description: "Who may not be written to" }),
  errors: z.array(
    z.object({
      code: z.enum(["recipient_opted_out", "consent_missing"]),
      count: z.number().int(),
      reason: z.string(),
    }).openapi("ResendRefusal"),
  ),
  scheduled_time: z.iso.datetime().optional(),
}).openapi("Resent");

/** For the API document. */
export const RESENT_EXAMPLE: z.input<typeof resendResponseSchema> = {
  message: "Resend queued",
  inquiry_set_id: "0192f8b6-3d2e-7f41-9a5b-6c7d8e9f0a1b",
  resend_of: "0192f8a6-3d2e-7f41-9a5b-6c7d8e9f0a1b",
  total: 12,
  processed: 11,
  failed: 1,
  errors: [{
    code: "recipient_opted_out",
    count: 1,
    reason: "The recipient does not want such messages",
  }],
};

const REFUSALS = [
  ["recipient_opted_out", "The recipient does not want such messages"],
  ["consent_missing", "The recipient has not agreed to marketing, and the company requires it"],
] as const;

export type ResentCampaign = z.infer<typeof resendResponseSchema>;

/** Returns the response to a resend of a campaign. */
export function resendResponse(campaignId: string, counts: ResendCounts): ResentCampaign {
  const { campaign_id, total, processed, refused, scheduled_time } = counts;
  return {
    message: messageOf(counts),
    inquiry_set_id: campaign_id,
    resend_of: campaignId,
    total,
    processed,
    failed: total - processed,
    errors: REFUSALS.flatMap(([code, reason]) => {
      const count = refused[code];
      return count === undefined ? [] : [{ code, count, reason }];
    }),
    ...(scheduled_time !== null && { scheduled_time: utcSeconds(new Date(scheduled_time)) }),
  };
}

function messageOf({ total, processed, scheduled_time }: ResendCounts): string {
  if (total === 0) return "Nothing to resend";
  if (processed === 0) return "No recipient may be resent to";
  return scheduled_time === null ? "Resend queued" : "Resend scheduled";
}
