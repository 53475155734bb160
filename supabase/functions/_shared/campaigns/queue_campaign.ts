import {
  apiAccessOff,
  invalidKey,
  keyRateExceeded,
  keyRefusal,
  permissionMissing,
} from "../access/key_refusal.ts";
import {
  type AcceptRequest,
  type AcceptVerdict,
  readFirstResponse,
  type RecipientRule,
} from "../db/accept_notifications.ts";
import { type KeyState, readKeyState, type SendContext, type SendContextQuery } from "../db/send_context.ts";
import { keyReused, quotaExceeded, type Refusal, resultOf } from "../errors.ts";
import { hashesOf, openErasureKey } from "../contacts/erasure.ts";
import type { Services } from "../services.ts";
import type { Channel, ChannelPlan } from "./channel.ts";
import type { NotificationRequest } from "./notification_request.ts";
import { additionRefusal } from "./addition_refusal.ts";
import { suggestTemplate } from "../templates/suggest_template.ts";
import { addVerdicts } from "./recipient_verdicts.ts";
import { type CampaignInput, planCampaign } from "./plan_campaign.ts";

export interface CampaignServices
  extends Pick<Services, "sql" | "now" | "sealer" | "sendContexts" | "refusedKeys"> {
  acceptances: Pick<Services["acceptances"], "add">;
  newWork: Pick<Services["newWork"], "notify">;
  env: Pick<Services["env"], "NOTIFICATION_TTL_S">;
}

interface Refused {
  kind: "refused";
  refusal: Refusal;
  key: KeyState;
}

/** The database failed while the request was stored. */
interface Failed {
  kind: "failed";
  error: unknown;
  key: KeyState;
}

/** The outcome of a request, with the last known state of its key. */
export type QueueResult = Refused | Failed | {
  kind: "queued";
  response: Record<string, unknown>;
  /** Whether it is the first response to an earlier request with the same idempotency key. */
  isReplay: boolean;
  /** The stored plan; null for a replay. */
  draft: ChannelPlan | null;
  key: KeyState;
};

/** A template, an agent or the wish of a recipient may change while a request is checked, but hardly more than twice. */
const MAX_OFFERS = 3;

/**
 * Checks a request against its key, its sender and its content, and stores it as a campaign, or adds it to one.
 *
 * The facts that it is checked against may be some seconds old. Storing checks them again in the same transaction, and no
 * request is refused on old facts; only a key that used up its quota is refused from memory, for a second. A refused
 * request counts against the rate of its key.
 */
export async function queueCampaign<Request extends NotificationRequest>(
  services: CampaignServices,
  channel: Channel<Request>,
  input: CampaignInput<Request>,
): Promise<QueueResult> {
  const { sendContexts, acceptances, newWork, refusedKeys, env, now } = services;
  const query = contextQuery(channel, input);
  const offers = { stale: 0, recipients: 0 };
  const recipientVerdicts = new Map<string, RecipientRule>();
  for (let check = 1;; check++) {
    const { value, isFresh } = check > 1
      ? { value: sendContexts.refresh(query), isFresh: true }
      : sendContexts.find(query);
    const context = await value;
    const facts = { context, now: now(), ttlS: env.NOTIFICATION_TTL_S, recipientVerdicts };
    const plan = planCampaign(channel, input, facts);
    if (plan.kind === "refused") {
      if (!isFresh) continue;
      const refused = await chargeRefusal(services, channel, input, { ...plan, key: context });
      return await firstResponse(services, input, refused) ??
        await withSuggestion(services, input, refused, context);
    }
    await addHashes(services, context, plan.campaign);
    const size = plan.campaign.notifications.length;
    // With an idempotency key, the request may have a first response.
    const known = input.idempotent === null ? refusedKeys.findQuota(input.keyHash, size) : undefined;
    if (known) return { kind: "refused", ...known };
    // One statement stores this request with its neighbours: see `acceptances` in services.ts.
    const stored = await resultOf(acceptances.add(plan.campaign));
    if (!stored.ok) return { kind: "failed", error: stored.error, key: context };
    const verdict = stored.value;
    const key = keyAfter(context, verdict);
    if (
      (verdict.outcome === "stale" || verdict.outcome === "recipients") &&
      ++offers[verdict.outcome] < MAX_OFFERS
    ) {
      addVerdicts(recipientVerdicts, plan.campaign, verdict);
      continue;
    }
    if (verdict.outcome === "accepted") {
      if (isDueSoon(plan.campaign, now())) newWork.notify();
      return { kind: "queued", response: plan.draft.response, isReplay: false, draft: plan.draft, key };
    }
    if (verdict.outcome === "replayed") {
      // Without a key of the client, it is this request that had been stored when the database failed.
      if (input.idempotent === null) {
        return { kind: "queued", response: plan.draft.response, isReplay: false, draft: plan.draft, key };
      }
      return {
        kind: "queued",
        response: verdict.answer as Record<string, unknown>,
        isReplay: true,
        draft: null,
        key,
      };
    }
    const cannotAdd = additionRefusal(verdict, { channel: channel.name, ...input.request });
    if (cannotAdd) {
      return await chargeRefusal(services, channel, input, { kind: "refused", refusal: cannotAdd, key });
    }
    const refused: Refused = { kind: "refused", refusal: refusalBy(verdict, channel, now()), key };
    if (verdict.outcome === "quota_exceeded") refusedKeys.noteQuota(input.keyHash, size, refused);
    return await firstResponse(services, input, refused) ?? refused;
  }
}

/** Adds to the refusal of a template with an unknown name which one was probably meant. */
async function withSuggestion<Request extends NotificationRequest>(
  { sql }: CampaignServices,
  { request }: CampaignInput<Request>,
  refused: Refused,
  context: SendContext,
): Promise<Refused> {
  const name = request.names.templateName;
  const isUnknown = refused.refusal.code === "template_not_found" && context.templates?.length === 0;
  if (name === null || !isUnknown) return refused;
  const owner = { companyId: context.company_id, senderId: context.sender_id };
  return { ...refused, refusal: await suggestTemplate(sql, owner, { name, refusal: refused.refusal }) };
}

/** Adds the hashes by which recipients who were erased are recognised, if the company has erased anybody. */
async function addHashes(
  { sealer }: CampaignServices,
  { company_id: companyId, erasure_key_sealed: sealed }: SendContext,
  campaign: AcceptRequest,
): Promise<void> {
  if (sealed === null) return;
  const key = await openErasureKey(sealer, { companyId, sealed });
  campaign.knows_erased = true;
  for (const notification of campaign.notifications) notification.hashes = hashesOf(key, notification);
}

function contextQuery<Request extends NotificationRequest>(
  channel: Channel<Request>,
  { keyHash, request }: CampaignInput<Request>,
): SendContextQuery {
  return {
    keyHash,
    channel: channel.name,
    recipientId: request.recipient_id,
    bulk: request.bulk,
    ...request.names,
  };
}

/** Counts a refusal, unless it is of the key itself. A key that is over its limit, or was revoked, is refused for that. */
async function chargeRefusal<Request extends NotificationRequest>(
  { sql, now }: CampaignServices,
  channel: Channel<Request>,
  { keyHash, isFree }: CampaignInput<Request>,
  refused: Refused,
): Promise<Refused> {
  if (refused.refusal.code === "unauthorized" || isFree) return refused;
  const key = await readKeyState(sql, keyHash, 1);
  return { ...refused, key, refusal: keyRefusal(key, now(), channel.permission) ?? refused.refusal };
}

/**
 * Returns the response to an earlier request with the same idempotency key; null when there was none. It stands even if
 * its time has passed or its template was stopped since.
 */
async function firstResponse<Request>(
  { sql }: CampaignServices,
  { keyHash, idempotent }: CampaignInput<Request>,
  { refusal, key }: Refused,
): Promise<QueueResult | null> {
  if (idempotent === null || refusal.code === "internal_error") return null;
  const first = await readFirstResponse(sql, { keyHash, ...idempotent });
  if (first === undefined) return null;
  if (first.request_hash !== idempotent.requestHash) return { kind: "refused", refusal: keyReused(), key };
  return {
    kind: "queued",
    response: first.answer as Record<string, unknown>,
    isReplay: true,
    draft: null,
    key,
  };
}

/** Returns the state of a key after storing, which reports more about it than the check before. */
function keyAfter(known: KeyState, { outcome, rate_limit, remaining, reset_s }: AcceptVerdict): KeyState {
  if (outcome === "unauthorized") return { ...known, outcome };
  return rate_limit > 0 ? { ...known, rate_limit, remaining, reset_s } : known;
}

function refusalBy(
  verdict: AcceptVerdict,
  { permission }: Pick<Channel<NotificationRequest>, "permission">,
  now: Date,
): Refusal {
  switch (verdict.outcome) {
    case "unauthorized":
      return invalidKey();
    case "forbidden":
      return permissionMissing(permission);
    case "no_api_access":
      return apiAccessOff();
    case "rate_limited":
      return keyRateExceeded(verdict, now);
    case "quota_exceeded":
      return dailyQuotaExceeded(verdict, now);
    case "key_reused":
      return keyReused();
    default:
      return {
        code: "internal_error",
        message:
          "The template, the agent or a recipient changed while the request was being accepted; retry the request",
      };
  }
}

function dailyQuotaExceeded({ quota, quota_used: used }: AcceptVerdict, now: Date): Refusal {
  const message =
    `Daily quota exceeded: ${used} of ${quota} notifications are used, too few are left for this request`;
  return quotaExceeded(message, { quota, used }, now);
}

/** More than the time between two polls of a dispatcher. */
const SOON_MS = 1000;

/** Returns whether the dispatcher must be woken. It finds later work by its own clock. */
function isDueSoon({ campaign }: AcceptRequest, now: Date): boolean {
  return campaign.scheduled_time === null || Date.parse(campaign.scheduled_time) - now.getTime() < SOON_MS;
}
