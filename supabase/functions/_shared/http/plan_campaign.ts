import { v7 as uuidv7 } from "uuid";
import type { AcceptRequest } from "../db/accept_notifications.ts";
import type { SendContext } from "../db/send_context.ts";
import { AppError, badFormat } from "../errors.ts";
import type { NotificationRequest } from "../notifications/notification_request.ts";
import { prepareBatch } from "../notifications/prepare_batch.ts";
import { dueTime } from "../scheduling/due_time.ts";
import type { Services } from "../services.ts";
import type { PlannedCampaign } from "./accept_campaign.ts";
import { missingPermission } from "./access_key.ts";
import type { Channel } from "./channel.ts";
import type { IdempotentRequest } from "./idempotency.ts";

/** A request whose form is right, and what it is to be checked against. */
export interface PlanInput<Request> {
  request: Request;
  context: SendContext;
  keyHash: string;
  idempotent: IdempotentRequest | null;
}

/**
 * Checks a request against its key, its sender and what it is to send, and makes the campaign to store. Touches nothing.
 *
 * Throws `forbidden`, `validation_failed`, the channel's own refusals and `sender_locked`.
 */
export function planCampaign<Request extends NotificationRequest>(
  services: Services,
  channel: Channel<Request>,
  { request, context, keyHash, idempotent }: PlanInput<Request>,
): PlannedCampaign {
  if (!context.permissions.includes(channel.permission)) throw missingPermission(channel.permission);
  const senderId = requireSender(request, context);
  const { rules, ...content } = channel.choose(request, context);
  const now = services.now();
  const due = dueTime(request.datetime_sending, request.timezone, now);
  const batch = prepareBatch(request, rules);
  if (context.sender_locked !== null) throw senderLocked(senderId, context.sender_locked);
  const id = uuidv7();
  const answer = channel.answer(request, { id, batch, due }, now);
  return {
    answer,
    request: {
      key_hash: keyHash,
      permission: channel.permission,
      ttl_s: services.env.NOTIFICATION_TTL_S,
      campaign: {
        id,
        channel: channel.name,
        name: request.campaign_name,
        notification_type: request.notification_type,
        sender_id: senderId,
        ...content,
        name_event: request.name_event ?? null,
        scheduled_time: due?.toISOString() ?? null,
        timezone: request.timezone ?? null,
        rejected: batch.failures.length,
      },
      notifications: batch.notifications,
      idempotency: idempotent && idempotencyRow(idempotent, answer),
    },
  };
}

function requireSender(request: NotificationRequest, context: SendContext): string {
  if (context.sender_id !== null) return context.sender_id;
  throw badFormat("recipient_id", request.recipient_id, "the id or the phone number of one of your senders");
}

/** Messages of a sender that is merely stopped wait for it. Those of a locked account would only expire. */
function senderLocked(senderId: string, reason: string): AppError {
  return new AppError(
    "sender_locked",
    "The platform has locked the account of this sender. Appeal to the platform: the sender goes on when the " +
      "platform reports the account free, or when the operator resumes it",
    { details: { sender_id: senderId, reason } },
  );
}

function idempotencyRow(
  { endpoint, key, requestHash }: IdempotentRequest,
  answer: unknown,
): AcceptRequest["idempotency"] {
  return { endpoint, key, request_hash: requestHash, answer };
}
