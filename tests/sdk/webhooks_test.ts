import assert from "node:assert/strict";
import { OutboundError, verifyWebhook, type WebhookEvent } from "../../sdk/typescript/src/webhooks.ts";
import { EVENT_TYPES, type EventType } from "../../supabase/functions/_shared/events_out/event_types.ts";
import { newSigningSecret, signEvent } from "../../supabase/functions/_shared/events_out/signing.ts";

/** Every type of the client's union; the compiler refuses one that is missing or too many. */
const TYPES: Record<WebhookEvent["type"], true> & Record<EventType | "webhook.test", true> = {
  "notification.sent": true,
  "notification.delivered": true,
  "notification.read": true,
  "notification.failed": true,
  "notification.skipped": true,
  "campaign.completed": true,
  "template.status_changed": true,
  "sender.status_changed": true,
  "sender.updated": true,
  "flow.triggered": true,
  "message.received": true,
  "message.failed": true,
  "contact.opted_out": true,
  "contact.opted_in": true,
  "conversation.started": true,
  "conversation.message": true,
  "handoff.requested": true,
  "handoff.ended": true,
  "webhook.test": true,
};
