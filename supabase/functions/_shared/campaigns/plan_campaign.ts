import {
  ignoringRate,
  invalidKey,
  keyRefusal,
  mayUseSender,
  senderForbidden,
} from "../access/key_refusal.ts";
import type { AcceptRequest } from "../db/queue/accept_notifications.ts";
import type { SendContext } from "../db/queue/send_context.ts";
import { AppError, asRefusal, badFormat, type Refusal } from "../errors.ts";
import { uuidv7 } from "../values/uuid.ts";
import type { Channel, ChannelPlan } from "./channel.ts";
import type { NotificationRequest } from "./notification_request.ts";
import type { StoredZones } from "./recipient_schedule.ts";
import type { RecipientVerdicts } from "./batch.ts";

/** A request that must not be carried out twice. */
export interface IdempotentRequest {
  /** The endpoint that the key belongs to. */
  endpoint: string;
  key: string;
  /** Fingerprint of everything the response depends on. */
  requestHash: string;
}

/** The campaign that a request is for. */
export interface CampaignTarget {
  /** The campaign that the request adds to; null for a new one. */
  campaignId: string | null;
  /** More requests will follow, so the campaign stays open. */
  more: boolean;
}

/** A request that was read, with the key that makes it. */
export interface CampaignInput<Request> extends CampaignTarget {
  keyHash: string;
  request: Request;
  idempotent: IdempotentRequest | null;
  /** It is part of something larger, and counts no request of the key. */
  unmetered?: boolean;
}

/** The facts that a request is checked against. */
export interface PlanFacts {
  context: SendContext;
  now: Date;
  /** Seconds after the due time during which sending still makes sense. */
  ttlS: number;
  /** The rules about the recipients, as storing has reported them. */
  recipientVerdicts: RecipientVerdicts;
  /** The zones that are stored of the recipients, where the request asks for their own time of day. */
  storedZones?: StoredZones;
}

const NO_ZONES: StoredZones = new Map();

/** The campaign to store and the response to its sender. */
export interface Planned {
  kind: "planned";
  campaign: AcceptRequest;
  draft: ChannelPlan;
}

/** A plan, or why there is none. */
export type CampaignPlan = Planned | { kind: "refused"; refusal: Refusal };

/**
 * Checks a request against its key, its sender and its content. Pure, so it is all that a dry run needs.
 *
 * The checks inside throw their refusals, because they lie deep in a body. Here they become values; any other error is
 * thrown on. Refuses with `unauthorized`, `api_access_off`, `permission_missing`, `rate_limit_exceeded`,
 * `validation_failed`, `sender_forbidden` for a sender that the key may not use, the channel's own refusals and `sender_locked`.
 */
export function planCampaign<Request extends NotificationRequest>(
  channel: Channel<Request>,
  input: CampaignInput<Request>,
  facts: PlanFacts,
): CampaignPlan {
  const key = input.unmetered ? ignoringRate(facts.context) : facts.context;
  const { permission } = channel;
  const refusal = isOver(facts)
    ? invalidKey()
    : keyRefusal(key, { now: facts.now, permission, checksSender: true });
  if (refusal) return { kind: "refused", refusal };
  try {
    return checkedPlan(channel, input, facts);
  } catch (error) {
    return { kind: "refused", refusal: asRefusal(error) };
  }
}

/** The facts may be some seconds old: the presented text of the key may have ended since. */
function isOver({ context: { key_until }, now }: PlanFacts): boolean {
  return key_until !== null && key_until <= now;
}

function checkedPlan<Request extends NotificationRequest>(
  channel: Channel<Request>,
  { request, idempotent, campaignId, more, unmetered = false }: CampaignInput<Request>,
  { context, now, ttlS, recipientVerdicts, storedZones = NO_ZONES }: PlanFacts,
): CampaignPlan {
  const senderId = requireSender(request, context);
  const id = campaignId ?? uuidv7();
  const isAddition = campaignId !== null;
  const draft = channel.plan(request, {
    id,
    isAddition,
    isPart: isAddition || more,
    context,
    now,
    recipientVerdicts,
    storedZones,
  });
  const { content, batch, due, response } = draft;
  if (context.sender_locked !== null) throw senderLocked(senderId, context.sender_locked);
  return {
    kind: "planned",
    draft,
    campaign: {
      key_hash: context.key_hash!,
      permission: channel.permission,
      ...(unmetered && { unmetered }),
      ttl_s: ttlS,
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
        timing: request.timing &&
          { ...request.timing, day: request.datetime_sending?.slice(0, 10) },
        rejected: batch.failures.length,
        is_addition: isAddition,
        more,
      },
      notifications: batch.notifications,
      ...(batch.warnings.some(({ code }) => code === "no_consent") && { warned: true }),
      idempotency: idempotent === null ? ownIdempotency(isAddition) : {
        endpoint: idempotent.endpoint,
        key: idempotent.key,
        request_hash: idempotent.requestHash,
        answer: response,
      },
    },
  };
}

/**
 * A stored request is known again by the id of the campaign that it made. One that adds to a campaign, whose client gave
 * no key, gets a key of its own for that.
 */
function ownIdempotency(isAddition: boolean): AcceptRequest["idempotency"] {
  return isAddition ? { endpoint: "addition", key: uuidv7(), request_hash: "", answer: {} } : null;
}

function requireSender(request: NotificationRequest, context: SendContext): string {
  const { sender_id } = context;
  if (!mayUseSender(context, sender_id)) throw AppError.from(senderForbidden(sender_id!));
  if (sender_id !== null) return sender_id;
  throw badFormat("recipient_id", request.recipient_id, "the id or the phone number of one of your senders");
}

/** Returns the refusal. Messages of a sender that is merely stopped wait for it. Those of a locked account would only expire. */
export function senderLocked(senderId: string, reason: string): AppError {
  return new AppError(
    "sender_locked",
    "The platform has locked the account of this sender. Appeal to the platform: the sender goes on when the " +
      "platform reports the account free, or when the operator resumes it",
    { details: { sender_id: senderId, reason } },
  );
}
