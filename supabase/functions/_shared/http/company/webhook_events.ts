import { z } from "@hono/zod-openapi";
import { CONTACT_CHANNELS } from "../../db/contacts/contacts.ts";
import { categorySchema } from "../../contacts/ledger_entries.ts";
import type { EventType } from "../../events_out/event_types.ts";
import { callOutcomeSchema, campaignCounters, channelSchema, sourceSchema } from "../app/shared_schemas.ts";
import { statusSchema as notificationStatusSchema } from "../recipient_schema.ts";
import { contentFields } from "../../widgets/message_content.ts";

const id = z.guid();
const text = z.string();
const optionalText = text.optional();
const time = z.iso.datetime();
const count = z.number().int().min(0);
const record = z.record(z.string(), z.unknown());
const senderStatus = z.enum(["active", "stopped"]);

/** A person: by number, by the platform's user id, or both. */
const person = { number: optionalText, user_id: optionalText };

const notificationFields = {
  company_id: id,
  campaign_id: id,
  campaign_name: text,
  notification_id: id,
  ...person,
  metadata: record.optional().openapi({ description: "As the request gave it" }),
  status: notificationStatusSchema,
  platform_message_id: optionalText,
  created_at: time,
  sent_at: time.optional(),
  delivered_at: time.optional(),
  read_at: time.optional(),
  failed_at: time.optional(),
  skipped_at: time.optional(),
  error_code: optionalText,
  error_reason: optionalText,
  held_for_quality: z.boolean().optional(),
  outcome: callOutcomeSchema.optional(),
  duration_s: count.optional().openapi({ description: "Of a call that was taken" }),
};

const notification = z.object(notificationFields).openapi("NotificationEventData", {
  description: "`status` is the present one, which may be later than the event's own",
});

const flow = z.object({ ...notificationFields, name_event: text }).openapi("FlowEventData");

/** Nothing of it is pending or being sent. */
const { pending: _, processing: __, ...finalCounters } = campaignCounters;

const campaign = z.object({
  company_id: id,
  campaign_id: id,
  campaign_name: text,
  channel: channelSchema,
  notification_type: text,
  status: z.enum(["completed", "cancelled"]),
  ...finalCounters,
  created_at: time,
  scheduled_time: time.optional(),
  started_at: time.optional(),
  completed_at: time.optional(),
}).openapi("CampaignEventData");

const template = z.object({
  company_id: id,
  template_id: id,
  platform_template_id: optionalText,
  name: text,
  language: text,
  category: text,
  status: text,
  previous_status: optionalText,
  reason: optionalText,
}).openapi("TemplateEventData");

const senderFields = { company_id: id, sender_id: id, number: text, channel: channelSchema };

const senderStop = z.object({
  ...senderFields,
  status: senderStatus,
  previous_status: senderStatus,
  reason: optionalText.openapi({ description: "The platform's, while it is stopped" }),
  locked: z.boolean().optional().openapi({ description: "The platform has disabled the account" }),
}).openapi("SenderStatusEventData");

const senderLimits = z.object({
  ...senderFields,
  messaging_limit: optionalText.openapi({ example: "TIER_2K" }),
  previous_messaging_limit: optionalText,
  quality: optionalText.openapi({ example: "RED" }),
  previous_quality: optionalText,
  notice: optionalText.openapi({ description: "The platform's last warning about the account" }),
}).openapi("SenderEventData");

const receivedMessage = z.object({
  company_id: id,
  message_id: id,
  sender_id: id,
  sender_number: text,
  ...person,
  profile_name: optionalText,
  username: optionalText,
  kind: text,
  text: optionalText,
  content: record.optional().openapi({ description: "The rest, by kind" }),
  platform_message_id: text,
  context_message_id: optionalText,
  campaign_id: id.optional(),
  notification_id: id.optional().openapi({ description: "The notification that it replies to" }),
  metadata: record.optional().openapi({ description: "Of that notification" }),
  at: time,
}).openapi("ReceivedMessageEventData");

const failedMessage = z.object({
  company_id: id,
  message_id: id,
  sender_id: id,
  ...person,
  kind: text,
  purpose: z.enum(["reply", "opt_out_confirmation"]),
  platform_message_id: optionalText,
  error_code: optionalText,
  error_reason: optionalText,
  created_at: time,
}).openapi("FailedMessageEventData");

const optOutFields = {
  company_id: id,
  ...person,
  channel: z.enum(CONTACT_CHANNELS),
  category: categorySchema,
  source: sourceSchema,
  at: time.openapi({ description: "When it was said" }),
};

const optOut = z.object(optOutFields).openapi("OptOutEventData");

const optIn = z.object({
  ...optOutFields,
  still_suppressed_by: z.array(sourceSchema).openapi({ description: "The sources of opt-outs that stay" }),
}).openapi("OptInEventData");

const conversationFields = {
  company_id: id,
  conversation_id: id,
  widget_id: id,
  user_id: text.openapi({ description: "The visitor's, made by the browser" }),
};

const conversation = z.object({
  ...conversationFields,
  language: optionalText,
  page_url: optionalText,
  page_title: optionalText,
  created_at: time,
}).openapi("ConversationEventData");

const conversationMessage = z.object({
  ...conversationFields,
  message_id: id,
  sequence: count.openapi({ description: "Counts within the conversation" }),
  author: z.enum(["visitor", "operator", "system"]),
  text,
  created_at: time,
  ...contentFields,
}).openapi("ConversationMessageEventData");

const followUp = z.object({
  ...conversationFields,
  email: text.openapi({ description: "Where the reply is to go" }),
  is_signed: z.boolean().openapi({
    description:
      "Whether your website has signed the address; false: the visitor typed it, and nothing confirms it",
  }),
  language: optionalText,
  page_url: optionalText,
  page_title: optionalText,
  messages: z.array(z.object({
    sequence: count,
    author: z.enum(["visitor", "operator", "system"]),
    sender: optionalText.openapi({ description: "The name of the writer, as the visitor sees it" }),
    text: text.openapi({ description: "The first 1,000 characters" }),
    is_read: z.boolean().openapi({ description: "False for replies that the visitor has not seen" }),
    created_at: time,
  })).openapi({ description: "The last 30, in their order" }),
  has_more: z.boolean().openapi({ description: "Whether there are earlier messages" }),
}).openapi("ConversationFollowUpEventData");

const rating = z.object({
  ...conversationFields,
  assigned_to: id.optional().openapi({ description: "The member who takes care of it" }),
  rating: z.number().int().min(1).max(5),
  comment: optionalText,
  previous_rating: count.optional().openapi({ description: "Where the visitor has changed it" }),
  rated_at: time,
}).openapi("ConversationRatingEventData");

const requestedPerson = z.object({ ...conversationFields, requested_at: time }).openapi(
  "RequestedPersonEventData",
);

const handoffFields = {
  company_id: id,
  handoff_id: id,
  widget_id: id,
  conversation_id: optionalText.openapi({ description: "At the voice platform" }),
  room: text,
  created_at: time,
};

const handoff = z.object({
  ...handoffFields,
  reason: optionalText,
  contact: z.object({ name: optionalText, email: optionalText, number: optionalText }).optional()
    .openapi({ description: "What the visitor left" }),
}).openapi("HandoffEventData");

const endedHandoff = z.object({
  ...handoffFields,
  previous_status: z.enum(["waiting", "joined"]),
  reason: z.enum(["visitor", "room_closed", "expired"]),
  ended_at: time,
}).openapi("EndedHandoffEventData");

const expiringKey = z.object({
  company_id: id,
  key_id: id,
  name: text,
  expires_at: time.openapi({ description: "When it ends" }),
}).openapi("ExpiringKeyEventData");

const testData = z.object({ company_id: id }).openapi("TestEventData");

/** A summary of each event, and the form of its data. A field that does not apply is left out. */
const EVENTS: Record<EventType | "webhook.test", [summary: string, data: z.ZodType]> = {
  "notification.sent": ["The platform took the message, or makes the call", notification],
  "notification.delivered": ["It reached the phone, or the call was taken", notification],
  "notification.read": ["The recipient read it", notification],
  "notification.failed": ["It will not arrive, or it expired", notification],
  "notification.skipped": ["A rule about its recipient kept it from leaving", notification],
  "campaign.completed": ["Nothing of the campaign is pending or being sent", campaign],
  "template.status_changed": ["A template's state changed", template],
  "sender.status_changed": ["A sender was stopped, locked or released", senderStop],
  "sender.updated": ["The platform changed a sender's limit or quality, or warned", senderLimits],
  "flow.triggered": ["The platform took a message that names a conversation flow", flow],
  "message.received": ["A person wrote to one of your numbers", receivedMessage],
  "message.failed": ["A reply of yours will not arrive", failedMessage],
  "contact.opted_out": ["A person wants no marketing, or nothing at all, any more", optOut],
  "contact.opted_in": ["An opt-out was lifted", optIn],
  "conversation.started": ["A visitor wrote the first message in a chat widget", conversation],
  "conversation.message": ["Either side wrote a message in a conversation", conversationMessage],
  "conversation.handoff_requested": ["A visitor of a chat widget asked for a person", requestedPerson],
  "conversation.follow_up": ["A visitor has not read a reply in time, and left an e-mail address", followUp],
  "conversation.rated": ["A visitor rated a conversation", rating],
  "handoff.requested": ["A visitor of a voice widget requested a person", handoff],
  "handoff.ended": ["A handoff ended", endedHandoff],
  "key.expiring": ["A further key of the company ends soon", expiringKey],
  "webhook.test": ["A member tests the webhook", testData],
};

/** The events that a company's webhook receives. */
export const WEBHOOK_EVENTS = Object.entries(EVENTS).map(([type, [summary, data]]) => {
  const name = pascalCase(type);
  const timestamp = time.openapi({ description: "When the change happened" });
  const test = z.literal(true).optional().openapi({
    description: "A member sent it as a test: its data are made up",
  });
  const schema = z.object({ type: z.literal(type), timestamp, test, data }).openapi(`${name}Event`);
  return { type, name, summary, schema };
});

const [first, ...others] = WEBHOOK_EVENTS.map(({ schema }) => schema);

/** The body of a request to a company's webhook. */
export const webhookEventSchema = z.discriminatedUnion("type", [first!, ...others]).openapi("WebhookEvent");

/** `sender.status_changed` as `SenderStatusChanged`. */
function pascalCase(type: string): string {
  return type.split(/[._]/).map((word) => word[0]!.toUpperCase() + word.slice(1)).join("");
}
