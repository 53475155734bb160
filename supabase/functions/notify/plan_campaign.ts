import { v7 as uuidv7 } from "uuid";
import type { AcceptRequest } from "../_shared/db/accept_notifications.ts";
import type { SendContext } from "../_shared/db/send_context.ts";
import { badFormat } from "../_shared/errors.ts";
import type { PlannedCampaign } from "../_shared/http/accept_campaign.ts";
import { missingPermission } from "../_shared/http/access_key.ts";
import type { IdempotentRequest } from "../_shared/http/idempotency.ts";
import type { ChatRequest } from "../_shared/notifications/chat_request.ts";
import { prepareChat } from "../_shared/notifications/prepare_chat.ts";
import { dueTime } from "../_shared/scheduling/due_time.ts";
import type { Services } from "../_shared/services.ts";
import { findUsableTemplate, requireMatchingVariables } from "../_shared/templates/find_usable_template.ts";
import { answerFor } from "./answer.ts";

/** What a key must hold to create chat campaigns. */
export const PERMISSION = "chatapp_notifications";

/** A request whose form is right, and what it is to be checked against. */
export interface PlanInput {
  request: ChatRequest;
  context: SendContext;
  keyHash: string;
  idempotent: IdempotentRequest | null;
}

/**
 * Checks a request against its key, sender and template, and makes the campaign to store. Touches nothing.
 *
 * Throws `forbidden`, `validation_failed`, `template_not_found`, `template_not_approved` or `variable_mismatch`.
 */
export function planCampaign(services: Services, input: PlanInput): PlannedCampaign {
  const { request, context, keyHash, idempotent } = input;
  if (!context.permissions.includes(PERMISSION)) throw missingPermission(PERMISSION);
  const senderId = requireSender(request, context);
  const versions = context.templates ?? [];
  const template = findUsableTemplate(versions, request.name_template, request.language_template);
  requireMatchingVariables(template, Object.keys(request.values));
  const due = dueTime(request.datetime_sending, request.timezone, services.now());
  const batch = prepareChat(request, template);
  const campaignId = uuidv7();
  const answer = answerFor(request, batch, campaignId, due);
  const campaign: AcceptRequest["campaign"] = {
    id: campaignId,
    channel: "whatsapp",
    name: request.campaign_name,
    notification_type: request.notification_type,
    sender_id: senderId,
    template_id: template.id,
    template_name: request.name_template,
    template_language: template.language,
    template_shape: template.shape,
    name_event: request.name_event ?? null,
    scheduled_time: due?.toISOString() ?? null,
    rejected: batch.failures.length,
  };
  return {
    answer,
    request: {
      key_hash: keyHash,
      permission: PERMISSION,
      ttl_s: services.env.NOTIFICATION_TTL_S,
      campaign,
      notifications: batch.notifications,
      idempotency: idempotent && idempotencyRow(idempotent, answer),
    },
  };
}

function requireSender(request: ChatRequest, context: SendContext): string {
  if (context.sender_id !== null) return context.sender_id;
  throw badFormat("recipient_id", request.recipient_id, "the id or the phone number of one of your senders");
}

function idempotencyRow(
  { endpoint, key, requestHash }: IdempotentRequest,
  answer: unknown,
): AcceptRequest["idempotency"] {
  return { endpoint, key, request_hash: requestHash, answer };
}
