/** The events that a company can receive; docs/webhooks.md describes each. */
export const EVENT_TYPES = [
  "notification.sent",
  "notification.delivered",
  "notification.read",
  "notification.failed",
  "notification.skipped",
  "campaign.completed",
  "template.status_changed",
  "sender.status_changed",
  "sender.updated",
  "flow.triggered",
  "message.received",
  "message.failed",
  "contact.opted_out",
  "contact.opted_in",
  "conversation.started",
  "conversation.message",
  "conversation.handoff_requested",
  "conversation.follow_up",
  "conversation.rated",
  "handoff.requested",
  "handoff.ended",
  "key.expiring",
] as const;

export type EventType = typeof EVENT_TYPES[number];
