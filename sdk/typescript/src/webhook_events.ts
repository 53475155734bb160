/** An event that the service sends to a company's webhook; docs/webhooks.md describes when and what. */
export type WebhookEvent = {
  [Type in keyof WebhookEventData]: {
    type: Type;
    /** When the change happened (ISO 8601, UTC). */
    timestamp: string;
    data: WebhookEventData[Type];
  };
}[keyof WebhookEventData];

/** The data of each event, by its type. A field that does not apply is left out. */
export interface WebhookEventData {
  "notification.sent": NotificationData;
  "notification.delivered": NotificationData;
  "notification.read": NotificationData;
  "notification.failed": NotificationData;
  "notification.skipped": NotificationData;
  "flow.triggered": NotificationData & { name_event: string };
  "campaign.completed": CampaignData;
  "template.status_changed": TemplateData;
  "sender.status_changed": SenderStatusData;
  "sender.updated": SenderData;
  "message.received": ReceivedMessageData;
  "message.failed": FailedMessageData;
  "contact.opted_out": OptOutData;
  "contact.opted_in": OptOutData & { still_suppressed_by: string[] };
  "conversation.started": StartedConversationData;
  "conversation.message": ConversationMessageData;
  "handoff.requested": HandoffData;
  "handoff.ended": HandoffData & {
    previous_status: "waiting" | "joined";
    reason: "visitor" | "room_closed" | "expired";
    ended_at: string;
  };
  "webhook.test": { company_id: string };
}

/** A person: by number, by the platform's user id, or both. */
interface Person {
  number?: string;
  user_id?: string;
}

interface NotificationData extends Person {
  company_id: string;
  campaign_id: string;
  campaign_name: string;
  notification_id: string;
  metadata?: Record<string, unknown>;
  /** The state at the time of writing, which may be later than the event's own. */
  status: string;
  provider_message_id?: string;
  created_at: string;
  sent_at?: string;
  delivered_at?: string;
  read_at?: string;
  failed_at?: string;
  skipped_at?: string;
  error_code?: string;
  error_reason?: string;
  held_for_quality?: boolean;
  /** Of a call. */
  outcome?: "answered" | "voicemail" | "busy" | "no_answer" | "failed";
  /** Of a call, in seconds. */
  duration_s?: number;
}

interface CampaignData {
  company_id: string;
  campaign_id: string;
  campaign_name: string;
  channel: "whatsapp" | "voice";
  notification_type: string;
  status: "completed" | "cancelled";
  total: number;
  sent: number;
  delivered: number;
  read: number;
  failed: number;
  cancelled: number;
  skipped: number;
  replied: number;
  rejected: number;
  created_at: string;
  scheduled_time?: string;
  started_at?: string;
  completed_at?: string;
}

interface TemplateData {
  company_id: string;
  template_id: string;
  provider_template_id?: string;
  name: string;
  language: string;
  category: string;
  status: string;
  previous_status?: string;
  reason?: string;
}

interface SenderStatusData {
  company_id: string;
  sender_id: string;
  number: string;
  channel: "whatsapp" | "voice";
  status: "active" | "stopped";
  previous_status: "active" | "stopped";
  reason?: string;
  locked?: boolean;
}

interface SenderData {
  company_id: string;
  sender_id: string;
  number: string;
  channel: "whatsapp" | "voice";
  messaging_limit?: string;
  previous_messaging_limit?: string;
  quality?: string;
  previous_quality?: string;
  notice?: string;
}

interface ReceivedMessageData extends Person {
  company_id: string;
  message_id: string;
  sender_id: string;
  sender_number: string;
  profile_name?: string;
  username?: string;
  kind: string;
  text?: string;
  content?: Record<string, unknown>;
  provider_message_id: string;
  context_message_id?: string;
  campaign_id?: string;
  notification_id?: string;
  metadata?: Record<string, unknown>;
  at: string;
}

interface FailedMessageData extends Person {
  company_id: string;
  message_id: string;
  sender_id: string;
  kind: string;
  purpose: "reply" | "opt_out_confirmation";
  provider_message_id?: string;
  error_code?: string;
  error_reason?: string;
  created_at: string;
}

interface OptOutData extends Person {
  company_id: string;
  channel: "any" | "whatsapp" | "voice";
  category: "marketing" | "all";
  source: "keyword" | "button" | "platform" | "api" | "import" | "operator";
  at: string;
}

interface StartedConversationData {
  company_id: string;
  conversation_id: string;
  widget_id: string;
  /** The visitor's, made by the browser. */
  user_id: string;
  language?: string;
  page_url?: string;
  page_title?: string;
  created_at: string;
}

interface ConversationMessageData {
  company_id: string;
  conversation_id: string;
  widget_id: string;
  user_id: string;
  message_id: string;
  sequence: number;
  author: "visitor" | "operator" | "system";
  text: string;
  created_at: string;
}

interface HandoffData {
  company_id: string;
  handoff_id: string;
  widget_id: string;
  /** At the voice platform. */
  conversation_id?: string;
  reason?: string;
  contact?: { name?: string; email?: string; number?: string };
  room: string;
  created_at: string;
}
