import { z } from "@hono/zod-openapi";
import { INBOX_STATES } from "../../_shared/db/contacts/inbox.ts";
import { MESSAGE_STATUSES } from "../../_shared/db/contacts/contact_messages.ts";
import {
  callOutcomeSchema,
  campaignCounters,
  campaignStateSchema,
  channelSchema,
} from "../../_shared/http/app/shared_schemas.ts";
import { statusSchema as notificationStatusSchema } from "../../_shared/http/recipient_schema.ts";
import { orNull } from "../../_shared/values/or_null.ts";
import { stoppedSchema, uploadStateSchema } from "../uploads/upload_schema.ts";

const count = z.number().int().min(0);
const text = z.string().nullable();
const time = z.iso.datetime().nullable();

/** The data of each kind of event, as `outbound.read_changes` builds it. */
const campaign = z.object({
  campaign_id: z.guid(),
  campaign_name: z.string(),
  channel: channelSchema,
  status: campaignStateSchema,
  paused_reason: text,
  ...campaignCounters,
  started_at: time,
  completed_at: time,
}).openapi("ChangedCampaignData");

const upload = z.object({
  upload_id: z.guid(),
  campaign_id: z.guid().nullable(),
  campaign_name: z.string(),
  state: uploadStateSchema,
  rows: count,
  accepted: count,
  refused: count,
  stopped: orNull(stoppedSchema),
  changed_at: z.iso.datetime(),
  completed_at: time,
}).openapi("ChangedUploadData");

const sender = z.object({
  sender_id: z.guid(),
  number: z.string(),
  channel: channelSchema,
  status: z.enum(["active", "stopped"]),
  stopped_reason: text,
  stopped_code: text,
  stopped_until: time,
  locked: z.boolean(),
  messaging_limit: text,
  quality: text,
  platform_notice: text,
}).openapi("ChangedSenderData");

const template = z.object({
  template_id: z.guid(),
  name: z.string(),
  language: z.string(),
  category: z.string(),
  status: z.string(),
  rejected_reason: text,
  quality: text,
}).openapi("ChangedTemplateData");

const call = z.object({
  notification_id: z.guid(),
  campaign_id: z.guid(),
  number: text,
  status: notificationStatusSchema,
  outcome: orNull(callOutcomeSchema),
  duration_s: count.nullable(),
  started_at: time,
  ended_at: time,
}).openapi("ChangedCallData");

const conversation = z.object({
  conversation_id: z.guid(),
  kind: z.enum(["chat", "whatsapp"]),
  state: z.enum(INBOX_STATES),
  assigned_to: z.guid().nullable(),
  messages: count.optional().openapi({ description: "Of a chat: how many it holds" }),
  last_message_at: time,
  contact_typing_until: time.optional().openapi({
    description: "Of a chat: until when its visitor counts as typing",
  }),
  window_closes_at: time.optional().openapi({ description: "On WhatsApp: until when replies are taken" }),
}).openapi("ChangedConversationData");

const message = z.object({
  message_id: z.guid(),
  sender_id: z.guid(),
  direction: z.enum(["in", "out"]),
  number: text,
  user_id: text,
  kind: z.string(),
  text: text.openapi({ description: "The first 200 characters" }),
  status: z.enum(MESSAGE_STATUSES),
  campaign_id: z.guid().nullable(),
  at: z.iso.datetime(),
}).openapi("ChangedMessageData");

const handoff = z.object({
  handoff_id: z.guid(),
  status: z.enum(["waiting", "joined", "ended"]),
  reason: text,
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
}).openapi("ChangedHandoffData");

const delivery = z.object({
  event_id: z.string(),
  type: z.string(),
  attempt: count,
  status: z.literal("failed"),
  response_status: z.number().int().nullable(),
  error: text,
  finished_at: z.iso.datetime(),
}).openapi("FailedDeliveryData");

/** An event of a company: its kind, and the state as it is now. */
export const companyEventSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("campaign"), data: campaign }).openapi("CampaignEvent"),
  z.object({ type: z.literal("upload"), data: upload }).openapi("UploadEvent"),
  z.object({ type: z.literal("sender"), data: sender }).openapi("SenderEvent"),
  z.object({ type: z.literal("template"), data: template }).openapi("TemplateEvent"),
  z.object({ type: z.literal("call"), data: call }).openapi("CallEvent"),
  z.object({ type: z.literal("conversation"), data: conversation }).openapi("ConversationEvent"),
  z.object({ type: z.literal("message"), data: message }).openapi("MessageEvent"),
  z.object({ type: z.literal("handoff"), data: handoff }).openapi("HandoffEvent"),
  z.object({ type: z.literal("delivery"), data: delivery }).openapi("DeliveryEvent"),
]).openapi("CompanyEvent");

export type CompanyEvent = z.input<typeof companyEventSchema>;
