import { AppError, tooManyRequests } from "../errors.ts";
import { hashAccessKey } from "../access/new_access_key.ts";
import type { KeyState } from "../db/send_context.ts";
import type { AppContext } from "./app.ts";
import { clientAddress } from "./client_address.ts";
import { tooManyRefusals } from "./too_many_refusals.ts";

/** The hash of the key in the query (`access_key`). Throws `unauthorized` when there is none, and what `presentKey` throws. */
export function presentedKeyHash(c: AppContext): string {
  const key = c.req.query("access_key");
  if (!key) {
    throw new AppError("unauthorized", "Missing access_key: add ?access_key=<your company's key> to the URL");
  }
  return presentKey(c, key);
}

/**
 * Notes the key a request presents, and returns its hash. Refuses from memory what the database need not be asked: a key
 * that was unknown a moment ago, and any but a good key from an address that presents too many unknown ones.
 *
 * Throws `unauthorized` and `rate_limit_exceeded`.
 */
export function presentKey(c: AppContext, key: string, opens: "company" | "widget" = "company"): string {
  const { knownKeys, refusedAddresses } = c.var.services;
  const keyHash = hashAccessKey(key);
  // A publishable key is good for widgets and for nothing else.
  const presented = `${opens} ${keyHash}`;
  c.set("presentedKey", presented);
  c.set("isKnown", knownKeys.isGood(presented));
  const waitS = knownKeys.wasGood(presented) ? 0 : refusedAddresses.waitS(clientAddress(c));
  if (waitS > 0) throw tooManyRefusals(c, waitS);
  if (knownKeys.isUnknown(presented)) {
    refusedAddresses.count(clientAddress(c));
    throw unauthorizedKey(c);
  }
  return keyHash;
}

/**
 * Notes who is calling and how much of its rate is left (`RateLimit`, `RateLimit-Policy`), then lets a good key pass.
 *
 * Throws `unauthorized` for a key that is unknown or not active, `forbidden` when the company's API access is off or the
 * key lacks `permission`, and `rate_limit_exceeded`.
 */
export function requireGoodKey(c: AppContext, key: KeyState, permission?: string): void {
  if (key.outcome === "unauthorized") throw invalidKey(c);
  noteGoodKey(c);
  c.set("companyId", key.company_id);
  setRateLimitHeaders(c, key);
  if (!key.api_access) throw apiAccessOff();
  if (permission && !key.permissions.includes(permission)) throw missingPermission(permission);
  if (key.outcome === "rate_limited") throw rateLimited(key, c.var.services.now());
}

/** Remembers that the presented key is good, and that the caller is known by it. */
export function noteGoodKey(c: AppContext): void {
  const { presentedKey, services: { knownKeys } } = c.var;
  c.set("isKnown", true);
  if (presentedKey && !knownKeys.isGood(presentedKey)) knownKeys.note(presentedKey, "good");
}

/**
 * The 401 for a key the database does not know. Remembers the key and counts the refusal against the caller's address; takes
 * back what an earlier look at the key, when it was still good, said about its rate.
 */
export function invalidKey(c: AppContext): AppError {
  const { knownKeys, refusedAddresses } = c.var.services;
  if (c.var.presentedKey) knownKeys.note(c.var.presentedKey, "unknown");
  refusedAddresses.count(clientAddress(c));
  c.header("RateLimit-Policy", undefined);
  c.header("RateLimit", undefined);
  return unauthorizedKey(c);
}

function unauthorizedKey(c: AppContext): AppError {
  const isPublishable = c.req.query("access_key")?.startsWith("pk_") &&
    c.var.presentedKey?.startsWith("company");
  return new AppError(
    "unauthorized",
    isPublishable
      ? "A publishable key opens widgets only: use the company's access key"
      : "The access key is invalid, or it was revoked",
  );
}

export function apiAccessOff(): AppError {
  return new AppError("forbidden", "API access is switched off for this company", { shape: "short" });
}

/** 403 in the short form, which the contract uses where a key may not do what it asks. */
export function missingPermission(permission: string): AppError {
  return new AppError("forbidden", `This access key lacks the permission '${permission}'`, {
    shape: "short",
  });
}

/** The window of `outbound.open_usage`, in seconds. */
const RATE_WINDOW_S = 60;

interface RateState {
  rate_limit: number;
  remaining: number;
  reset_s: number;
}

/** The header fields of the IETF draft "RateLimit header fields for HTTP". */
export function setRateLimitHeaders(c: AppContext, rate: RateState): void {
  c.header("RateLimit-Policy", `"requests";q=${rate.rate_limit};w=${RATE_WINDOW_S}`);
  c.header("RateLimit", `"requests";r=${rate.remaining};t=${rate.reset_s}`);
}

export function rateLimited(rate: RateState, now: Date): AppError {
  return tooManyRequests(`More than ${rate.rate_limit} requests in a minute`, {
    limit: rate.rate_limit,
    windowS: RATE_WINDOW_S,
    waitS: rate.reset_s,
    now,
  });
}
