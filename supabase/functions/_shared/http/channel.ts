import type { AcceptRequest } from "../db/accept_notifications.ts";
import type { SendContext, SendContextQuery } from "../db/send_context.ts";
import type { AcceptedCampaign } from "../notifications/bulk_answer.ts";
import type { NestedBody, NotificationRequest } from "../notifications/notification_request.ts";
import type { ContactRules } from "../notifications/prepare_batch.ts";

/** What a channel's campaigns are made of: an approved template, or a voice agent. */
export type CampaignContent = Pick<
  AcceptRequest["campaign"],
  "template_id" | "template_name" | "template_language" | "template_shape" | "agent_id"
>;

/** What one channel adds to the way all requests to notify are read, checked and stored. */
export interface Channel<Request extends NotificationRequest> {
  name: AcceptRequest["campaign"]["channel"];
  /** What a key must hold to create campaigns on it. */
  permission: AcceptRequest["permission"];
  /** Whose idempotency keys they are: the same key at another endpoint is another one. */
  endpoint: string;
  /** Throws `validation_failed` for a request that is wrong whoever it goes to. */
  read(body: NestedBody): Request;
  /** What the request names that has to be looked up, besides its sender. */
  names(request: Request): Pick<SendContextQuery, "templateName" | "agentId">;
  /** Throws the refusal for a request whose template or agent may not be used like this. */
  choose(request: Request, context: SendContext): CampaignContent & { rules: ContactRules };
  answer(request: Request, accepted: AcceptedCampaign, now: Date): Record<string, unknown>;
}
