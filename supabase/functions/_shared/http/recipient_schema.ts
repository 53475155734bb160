import { z } from "@hono/zod-openapi";
import { recipientsFile } from "../campaigns/recipients.ts";
import { NOTIFICATION_STATUSES, readMetadataKeys, type RecipientRow } from "../db/campaigns/recipients.ts";
import { type Actor, writeAudit } from "../db/access/audit.ts";
import type { AppContext } from "./app/context.ts";
import { streamText } from "./app/stream_text.ts";
import { callOutcomeSchema, channelSchema } from "./app/shared_schemas.ts";
import { orNull } from "../values/or_null.ts";

export const statusSchema = z.enum(NOTIFICATION_STATUSES, {
  error: `one of ${NOTIFICATION_STATUSES.join(", ")}`,
}).openapi("NotificationStatus");

const time = z.iso.datetime().nullable();

/** The state of one message. */
const notificationSchema = z.object({
  notification_id: z.uuid(),
  number: z.string().nullable().openapi({
    description: "Null where only the user id is known, and for an erased person",
  }),
  user_id: z.string().nullable(),
  status: statusSchema,
  queued_at: z.iso.datetime().openapi({ description: "When it was accepted" }),
  sent_at: time,
  delivered_at: time,
  read_at: time,
  failed_at: time,
  skipped_at: time.openapi({ description: "When a rule kept it from leaving" }),
  replied_at: time.openapi({ description: "When the recipient first replied to it" }),
  attempts: z.number().int().min(0),
  code: z.string().nullable().openapi({
    description:
      "The platform's code, or `expired`, `outcome_unknown`, `template_changed`, `agent_disabled`; of a skipped one " +
      "`opted_out`, `no_consent`, `frequency_cap`, `erased`; of one that waits by itself `sending_hours`, " +
      "`marketing_cooldown`, `call_gap`, `rules_unreadable`, with its campaign `campaign_paused`, " +
      "`template_not_approved`, with its sender `sender_stopped`, `sender_locked`, `budget_reached`, `no_dispatcher`, " +
      "`platform_unreachable`, `lines_busy`, `rate_limited`, `behind_others`",
  }),
  reason: z.string().nullable().openapi({
    description: "Why it failed, or why it still waits, in plain words",
  }),
  until: time.openapi({
    description:
      "Until when it waits: its due time, or for the `reason`, or for the platform's report of an unconfirmed one. " +
      "Null where it does not wait, or that is not known",
  }),
  outcome: orNull(callOutcomeSchema).openapi({
    description: "How a call went; null for a chat message, and until it is known",
  }),
  duration_s: z.number().int().min(0).nullable().openapi({ description: "Of a call that was taken" }),
  metadata: z.record(z.string(), z.unknown()).nullable().openapi({
    description: "As the request gave it",
    example: { order_id: "A-1001" },
  }),
  resent_as: z.uuid().nullable().openapi({
    description: "The notification by which a resend replaced it",
  }),
  held_for_quality: z.boolean().openapi({
    description: "It is sent, but the platform holds it until it knows how people take its template",
  }),
});

/** The state of the message to one recipient. */
export const recipientSchema = notificationSchema.extend({
  name: z.string().nullable().openapi({
    description:
      "Of the contact with this address. Null where none has a name, and for a key that may not read contacts",
  }),
}).openapi("Recipient");

const NOTIFICATION_EXAMPLE: z.infer<typeof notificationSchema> = {
  notification_id: "0192f8ad-7283-7495-80a1-b2c3d4e5f607",
  number: "34600111222",
  user_id: null,
  status: "delivered",
  queued_at: "2026-12-01T09:00:00Z",
  sent_at: "2026-12-01T09:00:01Z",
  delivered_at: "2026-12-01T09:00:03Z",
  read_at: null,
  failed_at: null,
  skipped_at: null,
  replied_at: null,
  attempts: 1,
  code: null,
  reason: null,
  until: null,
  outcome: null,
  duration_s: null,
  metadata: { order_id: "A-1001" },
  resent_as: null,
  held_for_quality: false,
};

/** A recipient for the API document. */
export const RECIPIENT_EXAMPLE: z.infer<typeof recipientSchema> = {
  ...NOTIFICATION_EXAMPLE,
  name: "Ana Gil",
};

/** One message to a person, or one call, with its campaign. */
export const personRecipientSchema = notificationSchema.extend({
  campaign_id: z.uuid(),
  campaign_name: z.string(),
  channel: channelSchema,
  notification_type: z.string(),
  template_name: z.string().nullable().openapi({ description: "Null for calls" }),
}).openapi("PersonNotification");

/** For the API document. */
export const PERSON_RECIPIENT_EXAMPLE: z.infer<typeof personRecipientSchema> = {
  ...NOTIFICATION_EXAMPLE,
  campaign_id: "0192f8a6-3d2e-7f41-9a5b-6c7d8e9f0a1b",
  campaign_name: "Order updates",
  channel: "whatsapp",
  notification_type: "utility",
  template_name: "order_update",
};

/** A file of recipients for the API document. */
export const RECIPIENTS_CSV = {
  schema: z.string().openapi({
    description:
      "RFC 4180, with a header line; times are UTC. What columns of the campaign's file filled in `metadata` has columns " +
      "of its own at the end, `metadata.<key>`",
  }),
};

/** A campaign whose recipients leave the service as a file, and who takes it. */
export interface RecipientsExport {
  companyId: string;
  campaignId: string;
  by: Actor;
}

/** Responds with a campaign's recipients as a file, streamed whatever its size. */
export async function respondRecipientsCsv(
  c: AppContext,
  { companyId, campaignId, by }: RecipientsExport,
  pages: AsyncIterable<RecipientRow[]>,
): Promise<Response> {
  const { sql } = c.get("services");
  await writeAudit(sql, companyId, { ...by, action: "recipients.exported", subject: campaignId });
  const metadataKeys = await readMetadataKeys(sql, { companyId, campaignId });
  c.header("Content-Type", "text/csv; charset=utf-8; header=present");
  c.header("Content-Disposition", `attachment; filename="recipients-${campaignId}.csv"`);
  return await streamText(c, recipientsFile(pages, metadataKeys));
}
