import { apiAccessOff, invalidKey, keyRateExceeded, permissionMissing } from "../access/key_refusal.ts";
import type { AcceptVerdict } from "../db/queue/accept_notifications.ts";
import { keyReused, quotaExceeded, type Refusal } from "../errors.ts";

/**
 * Returns why the database did not store a request, unless that is because of its campaign: see {@link additionRefusal}.
 *
 * @param permission what the key needed
 */
export function verdictRefusal(verdict: AcceptVerdict, permission: string, now: Date): Refusal {
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

/**
 * Returns why a request cannot add to the campaign that it names, if that is why it was not stored.
 *
 * @param provided the fields of the request, and its channel
 */
export function additionRefusal(verdict: AcceptVerdict, provided: object): Refusal | null {
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
