import {
  apiAccessOff,
  invalidKey,
  keyRateExceeded,
  keyRefusal,
  permissionMissing,
} from "../access/key_refusal.ts";
import { type AcceptVerdict, readFirstResponse } from "../db/queue/accept_notifications.ts";
import { type KeyState, readKeyState, type SendContext } from "../db/queue/send_context.ts";
import { AppError, keyReused, quotaExceeded, type Refusal } from "../errors.ts";
import { readBudget } from "../db/campaigns/budgets.ts";
import type { Services } from "../services.ts";
import { suggestTemplate } from "../templates/suggest_template.ts";
import type { Channel, ChannelPlan } from "./channel.ts";
import type { NotificationRequest } from "./notification_request.ts";
import type { CampaignInput } from "./plan_campaign.ts";

/** Nothing is stored. */
export interface Refused {
  kind: "refused";
  refusal: Refusal;
  key: KeyState;
}

/** The database failed while the request was stored. */
export interface Failed {
  kind: "failed";
  error: unknown;
  key: KeyState;
}

/** The campaign is stored. */
export interface Queued {
  kind: "queued";
  response: Record<string, unknown>;
  /** Whether it is the first response to an earlier request with the same idempotency key. */
  isReplay: boolean;
  /** The stored plan; null for a replay. */
  draft: ChannelPlan | null;
  key: KeyState;
}

/** The outcome of a request, with the last known state of its key. */
export type QueueResult = Refused | Failed | Queued;

/** Returns what is stored. Throws the refusal, or the failure of the database. */
export function requireQueued(result: QueueResult): Queued {
  if (result.kind === "refused") throw AppError.from(result.refusal);
  if (result.kind === "failed") throw result.error;
  return result;
}

/** Returns the outcome of a request whose plan is stored. */
export function queued(draft: ChannelPlan, key: KeyState): Queued {
  return { kind: "queued", response: draft.response, isReplay: false, draft, key };
}

/** Returns the outcome of a repeated request: the first response. */
export function replayed(response: unknown, key: KeyState): Queued {
  return {
    kind: "queued",
    response: response as Record<string, unknown>,
    isReplay: true,
    draft: null,
    key,
  };
}

export type RefusingServices = Pick<Services, "sql" | "now" | "refusedKeys">;

/** A request that is refused, with the channel that it came by. */
interface RefusedRequest {
  channel: Pick<Channel<NotificationRequest>, "name" | "permission">;
  input: CampaignInput<NotificationRequest>;
}

/**
 * Returns the outcome of a request whose check against fresh facts has failed. It counts against the rate of its key. A
 * request with an idempotency key gets its first response, if it has one.
 */
export async function refuseChecked(
  services: RefusingServices,
  request: RefusedRequest,
  { refusal, context }: { refusal: Refusal; context: SendContext },
): Promise<QueueResult> {
  const refused = await chargeRefusal(services, request, { kind: "refused", refusal, key: context });
  return await firstResponse(services, request.input, refused) ??
    await withSuggestion(services, request.input, refused, context);
}

/**
 * Returns the outcome of a request that the database did not store. It has counted the request against the rate of its
 * key, unless it looked no further than the campaign that the request names.
 */
export async function refuseByVerdict(
  services: RefusingServices,
  request: RefusedRequest,
  { verdict, size, key }: { verdict: AcceptVerdict; size: number; key: KeyState },
): Promise<QueueResult> {
  const { channel, input } = request;
  const cannotAdd = additionRefusal(verdict, { channel: channel.name, ...input.request });
  if (cannotAdd) return await chargeRefusal(services, request, { kind: "refused", refusal: cannotAdd, key });
  const refusal = verdict.outcome === "budget_exceeded"
    ? await budgetExceeded(services, key)
    : verdictRefusal(verdict, channel.permission, services.now());
  const refused: Refused = { kind: "refused", refusal, key };
  if (verdict.outcome === "quota_exceeded") services.refusedKeys.recordQuota(input.keyHash, size, refused);
  return await firstResponse(services, input, refused) ?? refused;
}

/** Counts a refusal, unless it is of the key itself. A key that is over its limit, or was revoked, is refused for that. */
async function chargeRefusal(
  { sql, now }: RefusingServices,
  { channel, input }: RefusedRequest,
  refused: Refused,
): Promise<Refused> {
  if (refused.refusal.code === "unauthorized" || input.unmetered) return refused;
  const key = await readKeyState(sql, input.keyHash, 1);
  return {
    ...refused,
    key,
    refusal: keyRefusal(key, { now: now(), permission: channel.permission, checksSender: true }) ??
      refused.refusal,
  };
}

/**
 * Returns the response to an earlier request with the same idempotency key; null when there was none. It stands even if
 * its time has passed or its template was stopped since.
 */
async function firstResponse(
  { sql }: RefusingServices,
  { keyHash, idempotent }: RefusedRequest["input"],
  { refusal, key }: Refused,
): Promise<QueueResult | null> {
  if (idempotent === null || refusal.code === "internal_error") return null;
  const first = await readFirstResponse(sql, { keyHash, ...idempotent });
  if (first === undefined) return null;
  if (first.request_hash !== idempotent.requestHash) return { kind: "refused", refusal: keyReused(), key };
  return replayed(first.answer, key);
}

/** Adds to the refusal of a template with an unknown name which one was probably meant. */
async function withSuggestion(
  { sql }: RefusingServices,
  { request }: RefusedRequest["input"],
  refused: Refused,
  context: SendContext,
): Promise<Refused> {
  const name = request.names.templateName;
  const isUnknown = refused.refusal.code === "template_not_found" && context.templates?.length === 0;
  if (name === null || !isUnknown) return refused;
  const owner = { companyId: context.company_id, senderId: context.sender_id };
  return { ...refused, refusal: await suggestTemplate(sql, owner, { name, refusal: refused.refusal }) };
}

/**
 * Returns why the database did not store a request, unless that is because of its campaign: see {@link additionRefusal}.
 *
 * @param permission what the key needed
 */
function verdictRefusal(verdict: AcceptVerdict, permission: string, now: Date): Refusal {
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
        retryAfterS: 1,
      };
  }
}

/** The refusal of what the company's budget leaves no room for, until the month ends (UTC) or the limit is raised. */
async function budgetExceeded({ sql, now }: RefusingServices, { company_id }: KeyState): Promise<Refusal> {
  const budget = await readBudget(sql, company_id);
  const reset = Date.UTC(now().getUTCFullYear(), now().getUTCMonth() + 1, 1);
  return {
    code: "quota_exceeded",
    message: "The company's budget for this month is used up: raise its limit, or wait for the next month",
    retryAfterS: Math.ceil((reset - now().getTime()) / 1000),
    details: {
      quota: "budget",
      limit: budget?.limit ?? null,
      spent: budget?.spent ?? null,
      currency: budget?.currency ?? null,
      reset_time: new Date(reset).toISOString(),
    },
  };
}

function dailyQuotaExceeded({ quota, quota_used: used }: AcceptVerdict, now: Date): Refusal {
  const message =
    `Daily quota exceeded: ${used} of ${quota} notifications are used, too few are left for this request`;
  return quotaExceeded(message, { quota, used }, now);
}

/**
 * Returns why a request cannot add to the campaign that it names, if that is why it was not stored.
 *
 * @param provided the fields of the request, and its channel
 */
function additionRefusal(verdict: AcceptVerdict, provided: object): Refusal | null {
  switch (verdict.outcome) {
    case "campaign_not_found":
      return { code: "campaign_not_found", message: "Campaign not found" };
    case "campaign_cancelled":
      return {
        code: "campaign_cancelled",
        message:
          "The campaign was cancelled and takes no more contacts: start a new one, without campaign_id",
      };
    case "campaign_mismatch":
      return mismatch(verdict.mismatch!, provided as Record<string, unknown>);
    default:
      return null;
  }
}

function mismatch(
  { field, expected }: NonNullable<AcceptVerdict["mismatch"]>,
  provided: Record<string, unknown>,
): Refusal {
  return {
    code: "campaign_mismatch",
    message: MESSAGES[field] ??
      `'${field}' differs from the campaign's: repeat it, or start a new campaign, without campaign_id`,
    details: { field, provided: provided[field] ?? null, expected },
  };
}

/** Of differences that another value of the field does not settle. */
const MESSAGES: Record<string, string> = {
  channel: "POST /notify adds to campaigns of messages, POST /notify/voice to campaigns of calls",
  template_shape:
    "The template needs other values than when the campaign was made: start a new one, without campaign_id",
};
