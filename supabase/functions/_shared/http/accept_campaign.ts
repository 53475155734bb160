import type { AcceptRequest, AcceptVerdict } from "../db/accept_notifications.ts";
import { readKeyState, type SendContext, type SendContextQuery } from "../db/send_context.ts";
import { AppError, keyReused } from "../errors.ts";
import {
  apiAccessOff,
  invalidKey,
  missingPermission,
  rateLimited,
  requireGoodKey,
  setRateLimitHeaders,
} from "./access_key.ts";
import type { AppContext } from "./app.ts";
import { replay } from "./idempotency.ts";

/** More than the time between two looks of a dispatcher at its queue. */
const SOON_MS = 1000;

/** A campaign that passed every check, with the answer its sender will get. */
export interface PlannedCampaign {
  request: AcceptRequest;
  answer: Record<string, unknown>;
}

/**
 * Checks a request against the sender and the template or agent it names (`plan`), and stores it. The facts it is checked against
 * may be some seconds old: storing checks them again in the same transaction, and a refusal is never based on old ones.
 */
export async function acceptCampaign(
  c: AppContext,
  query: SendContextQuery,
  plan: (context: SendContext) => PlannedCampaign,
): Promise<Response> {
  const check = (context: SendContext) => {
    requireGoodKey(c, context);
    return plan(context);
  };
  const { sendContexts, acceptances } = c.var.services;
  let planned = await planWithLatest(c, query, check)
    .catch(async (error) => {
      await countRefusal(c, query.keyHash, error);
      throw error;
    });
  let verdict = await acceptances.add(planned.request);
  if (verdict.outcome === "stale") {
    planned = check(await sendContexts.refresh(query));
    verdict = await acceptances.add(planned.request);
  }
  return answerVerdict(c, planned, verdict);
}

async function planWithLatest(
  c: AppContext,
  query: SendContextQuery,
  check: (context: SendContext) => PlannedCampaign,
): Promise<PlannedCampaign> {
  const { sendContexts } = c.var.services;
  const mayBeOld = sendContexts.has(query);
  try {
    return check(await sendContexts.get(query));
  } catch (error) {
    if (!mayBeOld) throw error;
    return check(await sendContexts.refresh(query));
  }
}

/** A refused request counts against the key's rate as an accepted one does, and is over the limit like one. */
async function countRefusal(c: AppContext, keyHash: string, error: unknown): Promise<void> {
  if (!(error instanceof AppError) || error.status >= 500 || error.code === "unauthorized") return;
  requireGoodKey(c, await readKeyState(c.var.services.sql, keyHash, 1));
}

function answerVerdict(c: AppContext, planned: PlannedCampaign, verdict: AcceptVerdict): Response {
  const { newWork, now } = c.var.services;
  if (verdict.rate_limit > 0) setRateLimitHeaders(c, verdict);
  switch (verdict.outcome) {
    case "accepted":
      if (isDueSoon(planned.request, now())) newWork.notify();
      return c.json(planned.answer);
    case "replayed":
      return replay(c, verdict.answer);
    case "key_reused":
      throw keyReused();
    case "unauthorized":
      throw invalidKey(c);
    case "forbidden":
      throw missingPermission(planned.request.permission);
    case "no_api_access":
      throw apiAccessOff();
    case "rate_limited":
      throw rateLimited(verdict, now());
    case "quota_exceeded":
      throw quotaExceeded(verdict, now());
    case "stale":
      throw new AppError(
        "internal_error",
        "The template or the agent changed while the request was being accepted; try again",
      );
  }
}

/** What is due later the dispatcher finds by its own clock. */
function isDueSoon({ campaign }: AcceptRequest, now: Date): boolean {
  return campaign.scheduled_time === null || Date.parse(campaign.scheduled_time) - now.getTime() < SOON_MS;
}

function quotaExceeded(verdict: AcceptVerdict, now: Date): AppError {
  const reset = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1));
  return new AppError(
    "quota_exceeded",
    `The daily quota of ${verdict.quota} notifications does not leave room for these`,
    {
      retryAfter: Math.ceil((reset.getTime() - now.getTime()) / 1000),
      details: { quota: verdict.quota, used: verdict.quota_used, reset_time: reset.toISOString() },
    },
  );
}
