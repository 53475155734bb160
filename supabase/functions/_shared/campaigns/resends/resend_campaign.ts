import { invalidKey } from "../../access/key_refusal.ts";
import { refuseArchived } from "../../archive/refuse_archived.ts";
import type { Actor } from "../../db/access/audit.ts";
import {
  beginResend,
  type BegunResend,
  finishResend,
  readFirstResend,
  readResendSource,
  type ResendCounts,
  type ResendSource,
} from "../../db/campaigns/resends.ts";
import { AppError, asRefusal, keyReused, quotaExceeded, type Refusal } from "../../errors.ts";
import { dueTime } from "../../scheduling/due_time.ts";
import type { Services } from "../../services.ts";
import { currentTrace } from "../../telemetry/trace_context.ts";
import { uuidv7 } from "../../values/uuid.ts";
import { PASSING_CODES } from "./failure_advice.ts";
import type { IdempotentRequest } from "../plan_campaign.ts";
import type { ResendRequest } from "./resend_request.ts";
import { senderLocked } from "../plan_campaign.ts";

export interface ResendServices extends Pick<Services, "sql" | "now"> {
  metrics: { accepted: Pick<Services["metrics"]["accepted"], "add"> };
  newWork: Pick<Services["newWork"], "notify">;
  env: Pick<Services["env"], "OUTBOUND_NOTIFICATION_TTL_S">;
  tracing: Pick<Services["tracing"], "current">;
}

export interface ResendInput {
  companyId: string;
  /** The campaign whose failures are resent. */
  campaignId: string;
  request: ResendRequest;
  /** The key whose quota limits it. */
  apiKeyId: string;
  /** For the audit. */
  by: Actor;
  idempotent: IdempotentRequest | null;
}

export type ResendResult =
  | { kind: "refused"; refusal: Refusal }
  | { kind: "done"; counts: ResendCounts; isReplay: boolean };

/** The template, the agent or the sender may change while a resend is checked, but hardly more than twice. */
const MAX_CHECKS = 3;

/**
 * Makes a new campaign of those who failed in another one for a reason that can pass, or with the given codes, with what
 * is stored of them. A notification is resent once: a repeated request finds none left.
 *
 * The first transaction decides everything. If this process dies after it, a dispatcher makes the rest of the
 * notifications. Refuses with `validation_failed`, `template_not_found`, `template_not_approved`, `variable_mismatch`,
 * `agent_not_found`, `sender_locked`, `resend_in_progress`, `quota_exceeded`, `idempotency_key_reused` and `unauthorized`.
 * Throws `campaign_archived`.
 */
export async function resendCampaign(services: ResendServices, input: ResendInput): Promise<ResendResult> {
  const { sql, now, env, metrics, newWork, tracing } = services;
  const { companyId, campaignId, request, apiKeyId, idempotent } = input;
  const schedule = scheduleOf(request, now());
  if (schedule.refusal !== null) return await firstResult(sql, input) ?? { kind: "refused", ...schedule };
  for (let check = 1;; check++) {
    const source = (await readResendSource(sql, { companyId, campaignId }))!;
    await refuseArchived(sql, { companyId, campaignId });
    const begun = await beginResend(sql, {
      companyId,
      campaignId,
      id: uuidv7(),
      codes: request.codes ?? PASSING_CODES,
      name: request.campaign_name ?? null,
      due: schedule.due,
      timezone: request.timezone ?? null,
      apiKeyId,
      idempotency: idempotent &&
        { endpoint: idempotent.endpoint, key: idempotent.key, request_hash: idempotent.requestHash },
      trace: currentTrace(tracing),
    }, input.by);
    const fault = begun.outcome === "stale" ? faultOf(source) : null;
    if (begun.outcome === "stale" && fault === null && check < MAX_CHECKS) continue;
    const refusal = fault ?? refusalBy(begun, now());
    if (refusal !== null) return { kind: "refused", refusal };
    const counts = begun.result!;
    if (begun.outcome === "accepted") {
      // Here, and not with each step: a dispatcher makes the rest if this process dies.
      metrics.accepted.add([source.channel], counts.processed);
      const made = { companyId, campaignId: counts.campaign_id! };
      await finishResend(sql, made, { ttlS: env.OUTBOUND_NOTIFICATION_TTL_S });
      newWork.notify();
    }
    return { kind: "done", counts, isReplay: begun.outcome === "replayed" };
  }
}

function scheduleOf(
  { datetime_sending, timezone }: ResendRequest,
  now: Date,
): { due: Date | null; refusal: null } | { refusal: Refusal } {
  try {
    return { due: dueTime(datetime_sending ?? undefined, timezone ?? undefined, now), refusal: null };
  } catch (error) {
    return { refusal: asRefusal(error) };
  }
}

/** The response to an earlier request with the same idempotency key stands even if its time has passed since. */
async function firstResult(
  sql: ResendServices["sql"],
  { companyId, idempotent }: ResendInput,
): Promise<ResendResult | null> {
  const first = idempotent && await readFirstResend(sql, { companyId, ...idempotent });
  if (!first) return null;
  if (first.request_hash !== idempotent.requestHash) return { kind: "refused", refusal: keyReused() };
  return { kind: "done", counts: first.answer, isReplay: true };
}

/** Returns why a campaign cannot be resent; null if nothing keeps it from that any more. */
function faultOf(source: ResendSource): Refusal | null {
  const { template_name, template_language, template_status, agent_id, agent_status } = source;
  if (source.sender_gone) {
    return { code: "validation_failed", message: "The campaign's sender was deleted: send a new request" };
  }
  if (template_name !== null && template_status === null) {
    return {
      code: "template_not_found",
      message: `There is no template '${template_name}' in language '${template_language}' any more`,
      details: { template_name, language: template_language },
    };
  }
  if (template_status !== null && template_status !== "approved") {
    return {
      code: "template_not_approved",
      message: `The template '${template_name}' is ${template_status}, not approved`,
      details: { template_name, current_status: template_status, required_status: "approved" },
    };
  }
  if (source.template_changed) {
    return {
      code: "variable_mismatch",
      message:
        `The template '${template_name}' was changed, and needs other values than those stored: send a new request`,
      details: { template_name },
    };
  }
  if (agent_id !== null && agent_status !== "active") {
    return {
      code: "agent_not_found",
      message: "The campaign's voice agent is not active",
      details: { agent_id },
    };
  }
  return source.sender_locked === null ? null : senderLocked(source.sender_id, source.sender_locked);
}

/** Seconds until a resend that is under way has probably ended. */
const RUNNING_RETRY_S = 5;

function refusalBy({ outcome, quota, quota_used: used }: BegunResend, now: Date): Refusal | null {
  switch (outcome) {
    case "unauthorized":
      return invalidKey();
    case "key_reused":
      return keyReused();
    case "running":
      return new AppError("resend_in_progress", "Another resend of this campaign is under way", {
        retryAfterS: RUNNING_RETRY_S,
      });
    case "quota_exceeded":
      return quotaExceeded(
        `Daily quota exceeded: ${used} of ${quota} notifications are used, too few are left for this resend`,
        { quota: quota!, used: used! },
        now,
      );
    case "stale":
      return {
        code: "internal_error",
        message:
          "The template, the agent or the sender changed while the resend was accepted; retry the request",
      };
    default:
      return null;
  }
}
