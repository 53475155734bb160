import { AppError, quotaExceeded, rateLimitExceeded } from "../../errors.ts";
import type { AppContext } from "../app/context.ts";
import { MAX_REFUSALS } from "../../access/presented_keys.ts";
import { sha256Hex } from "../../crypto/digests.ts";
import { clientAddress } from "../app/request_context.ts";
import { countVisitorRequest, type ReachedCap, type VisitorCap } from "../../db/widgets/visitor_limits.ts";

/** Returns the error for a limit that `services.perMinute` counts: `message` says what there were too many of. */
export function tooManyPerMinute(
  c: AppContext,
  message: string,
  { limit, waitS }: { limit: number; waitS: number },
): AppError {
  return AppError.from(
    rateLimitExceeded(message, { limit, windowS: 60, waitS, now: c.get("services").now() }),
  );
}

/** Returns the error for an address that presented too many wrong credentials. */
export function tooManyRefusals(c: AppContext, waitS: number): AppError {
  const message = "Too many requests with wrong credentials came from your address";
  return tooManyPerMinute(c, message, { limit: MAX_REFUSALS, waitS });
}

/** How often something may be read. */
export interface ReadLimit {
  /** Name of what is counted. */
  what: string;
  /** Per minute. An address may be an office, so it gets more than a single visitor. */
  perAddress: number;
  /** Per minute, of one visitor's token. */
  perVisitor?: number;
}

/**
 * Counts a read of a visitor, before any query. Each process counts by itself and in memory: a query to count would cost
 * as much as the read. A request with `access_key` and no token is an operator's and counts against that
 * key instead. Throws `rate_limit_exceeded`.
 */
export function limitReads(c: AppContext, { what, perAddress, perVisitor }: ReadLimit): void {
  const { perMinute } = c.get("services");
  const address = clientAddress(c);
  const token = c.req.header("Authorization");
  const limits = [
    ...(address ? [{ subject: `${what}:address:${address}`, limit: perAddress }] : []),
    ...(token && perVisitor ? [{ subject: `${what}:${sha256Hex(token)}`, limit: perVisitor }] : []),
  ];
  for (const { subject, limit } of limits) {
    const waitS = perMinute.count(subject, limit);
    if (waitS > 0) throw tooManyPerMinute(c, "Too many requests", { limit, waitS });
  }
}

/** Counts a request of a company's members, in this process. Throws `rate_limit_exceeded`. */
export function limitMembers(
  c: AppContext,
  { what, companyId, perMinute: limit }: { what: string; companyId: string; perMinute: number },
): void {
  const waitS = c.get("services").perMinute.count(`${what}:company:${companyId}`, limit);
  if (waitS > 0) throw tooManyPerMinute(c, "Too many requests", { limit, waitS });
}

export interface VisitorLimit {
  /** Name of what is counted. */
  what: string;
  windowS: number;
  /** Requests of one address, in the window. An address may be an office, so it gets more than a single visitor. */
  perAddress: number;
  /** Requests about one thing (a conversation, a session), in the window. */
  perSubject?: { id: string; limit: number };
}

/** Counts a request of a visitor. Throws `rate_limit_exceeded` when it is one too many. */
export async function limitVisitors(c: AppContext, limit: VisitorLimit): Promise<void> {
  const address = clientAddress(c);
  const { what, windowS, perAddress, perSubject } = limit;
  const subjects = [
    ...(address ? [{ subject: sha256Hex(`${what}:address:${address}`), limit: perAddress }] : []),
    ...(perSubject ? [{ subject: sha256Hex(`${what}:${perSubject.id}`), limit: perSubject.limit }] : []),
  ];
  if (subjects.length === 0) return;
  const { sql, now } = c.get("services");
  const { wait_s, reached } = await countVisitorRequest(sql, { subjects, windowS });
  if (wait_s === 0) return;
  throw AppError.from(
    rateLimitExceeded("Too many requests", { limit: reached!, waitS: wait_s, windowS, now: now() }),
  );
}

const NAMES: Record<VisitorCap, string> = {
  voice_sessions: "voice sessions",
  voice_minutes: "minutes of voice sessions",
  conversations: "conversations",
  stored_mb: "MB of stored messages",
};

/** Returns the error for a visitor whose widget, or its company, has used up a daily cap. */
export function visitorQuotaExceeded(reached: ReachedCap, now: Date): AppError {
  const { cap, quota, used } = reached;
  const message = `The daily limit of ${quota} ${NAMES[cap]} is reached; come back tomorrow`;
  return AppError.from(quotaExceeded(message, { cap, quota, used }, now));
}
