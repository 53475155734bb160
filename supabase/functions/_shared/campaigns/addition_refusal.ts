import type { AcceptVerdict } from "../db/accept_notifications.ts";
import type { Refusal } from "../errors.ts";

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
