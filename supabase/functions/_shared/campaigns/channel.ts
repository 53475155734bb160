import type { AcceptRequest } from "../db/queue/accept_notifications.ts";
import type { SendContext } from "../db/queue/send_context.ts";
import type { Postponement } from "../dispatching/hours_and_caps.ts";
import type { RenderedMessage } from "../templates/render_message.ts";
import type { PreparedBatch, RecipientVerdicts } from "./batch.ts";
import type { StoredZones } from "./recipient_schedule.ts";
import type { NestedBody, NotificationRequest } from "./notification_request.ts";

/** The content of a campaign: an approved template, or a voice agent. */
export type CampaignContent = Pick<
  AcceptRequest["campaign"],
  "template_id" | "template_name" | "template_language" | "template_shape" | "agent_id"
>;

/** The facts that a channel plans a request with. */
export interface PlanContext {
  /** The id of the campaign. */
  id: string;
  /** The campaign exists. Its schedule is repeated, so its time may have come. */
  isAddition: boolean;
  context: SendContext;
  now: Date;
  /** The rules about the recipients, as storing has reported them. */
  recipientVerdicts: RecipientVerdicts;
  /** More requests for the campaign came before, or will follow. */
  isPart: boolean;
  /** The zones that are stored of the recipients; empty where the request does not ask for their own time of day. */
  storedZones: StoredZones;
}

/** The preview of a notification that is accepted now, as far as the rules at the time of sending decide it. */
export interface SendPreview {
  status: "ok" | "held" | "skipped";
  code: Postponement["code"] | "marketing_cooldown" | "frequency_cap" | null;
  reason: string | null;
  /** Null: at once, or never. */
  leavesAt: Date | null;
}

/** The part of a campaign that is the channel's, with the response to the request. */
export interface ChannelPlan {
  content: CampaignContent;
  batch: PreparedBatch;
  /** The company's own files that it names for all recipients, by the values that name them. */
  media?: { field: string; mediaId: string; kind: string }[];
  /** When the first is due; null when it is to be sent at once. */
  due: Date | null;
  /** `queueCampaign` adds the warnings. */
  response: Record<string, unknown>;
  /** The preview of each notification; empty where no rule is about them. `queueCampaign` adds them. */
  previews?: SendPreview[];
  /** The category that the platform bills, in lower case; null for calls. */
  category: string | null;
  /** Renders what a recipient sees of a message; null for calls. */
  render: ((message: unknown) => RenderedMessage) | null;
  /** Its sender, as far as it is known. */
  sender: Pick<SendContext, "sender_number" | "sender_limit" | "sender_quality">;
}

/** The part of reading, checking and storing notification requests that differs by channel. */
export interface Channel<Request extends NotificationRequest> {
  name: AcceptRequest["campaign"]["channel"];
  /** The permission that a key needs to create campaigns on it. */
  permission: AcceptRequest["permission"];
  /** Scope of its idempotency keys: the same key at another endpoint is another key. */
  endpoint: string;
  /** Reads a request. Throws `validation_failed` for faults that concern every recipient. */
  read(body: NestedBody): Request;
  /** Checks template or agent, schedule and contacts, in this order. Throws the refusal. */
  plan(request: Request, context: PlanContext): ChannelPlan;
}
