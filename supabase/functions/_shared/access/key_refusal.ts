import { type Effect, mayHappen } from "./effects.ts";
import type { KeyState } from "../db/queue/send_context.ts";
import { rateLimitExceeded, type Refusal } from "../errors.ts";

/** The window of `outbound.open_usage`, in seconds. */
export const RATE_WINDOW_S = 60;

/** How much of a key's rate is used. */
export type RateState = Pick<KeyState, "rate_limit" | "reset_s">;

/** The needs of a request. */
export interface KeyNeeds {
  now: Date;
  permission?: string | undefined;
  /** The effect of the request. @default "acts" */
  effect?: Effect;
  /** Whether the request checks the sender that it is about: see {@link mayUseSender}. @default false */
  checksSender?: boolean;
}

/**
 * Returns why a key may not make a request, or null when it may. The first of: it is unknown or not active, its company's
 * API access is off, it lacks `permission`, it is limited to senders and the request checks none, its rate is used up.
 */
export function keyRefusal(
  key: KeyState,
  { now, permission, effect = "acts", checksSender = false }: KeyNeeds,
): Refusal | null {
  if (key.outcome === "unauthorized") return invalidKey();
  if (!mayHappen(effect, key)) return apiAccessOff();
  if (permission && !key.permissions.includes(permission)) return permissionMissing(permission);
  if (key.sender_ids !== null && !checksSender) return limitedToSenders();
  return key.outcome === "rate_limited" ? keyRateExceeded(key, now) : null;
}

/** Returns the state of a key for a request that does not count against its rate. */
export function ignoringRate<Key extends KeyState>(key: Key): Key {
  return key.outcome === "rate_limited" ? { ...key, outcome: "ok" } : key;
}

export function invalidKey(): Refusal {
  return { code: "unauthorized", message: "The access key is invalid, or it was revoked" };
}

export function apiAccessOff(): Refusal {
  return { code: "api_access_off", message: "API access is switched off for this company" };
}

export function permissionMissing(permission: string): Refusal {
  const message = `This access key lacks the permission '${permission}'`;
  return { code: "permission_missing", message, details: { permission } };
}

/** Returns whether a key may use a sender; null is one that the company does not have. */
export function mayUseSender(
  { sender_ids }: Pick<KeyState, "sender_ids">,
  senderId: string | null,
): boolean {
  return sender_ids === null || senderId === null || sender_ids.includes(senderId);
}

export function senderForbidden(senderId: string): Refusal {
  return {
    code: "sender_forbidden",
    message: "This access key may not use this sender",
    details: { sender_id: senderId },
  };
}

/** The refusal of what concerns the whole company. */
export function limitedToSenders(): Refusal {
  return {
    code: "sender_forbidden",
    message: "This access key is limited to some senders, and this concerns the whole company",
  };
}

export function keyRateExceeded({ rate_limit: limit, reset_s: waitS }: RateState, now: Date): Refusal {
  return rateLimitExceeded(`More than ${limit} requests in a minute`, {
    limit,
    windowS: RATE_WINDOW_S,
    waitS,
    now,
  });
}
