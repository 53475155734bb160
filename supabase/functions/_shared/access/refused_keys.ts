import { createExpiringMap } from "../concurrency/expiring_cache.ts";
import type { KeyState } from "../db/queue/send_context.ts";
import type { Refusal } from "../errors.ts";
import { keyRateExceeded } from "./key_refusal.ts";

/** A limit that was raised, or access that was given back, may be refused for this long. */
const REFUSED_MS = 1000;
const MAX_KEYS = 10_000;

/** A key as a request presents it. */
export interface PresentedKey {
  keyHash: string;
  /** The permission that the route requires; left out where that depends on the request. */
  permission?: string;
  /** The route checks the sender that a request is about. */
  checksSender?: boolean;
}

/** The refusal of a key, and its state for the response. */
export interface RememberedRefusal {
  refusal: Refusal;
  key: KeyState;
}

/**
 * The keys that the database refused within the last second. In memory, so that a client that goes on after a refusal
 * costs one query per second and process.
 */
export interface RefusedKeys {
  /** Returns why a key may not make requests; undefined when that is not known. */
  find(key: PresentedKey, now: Date): RememberedRefusal | undefined;
  /** Records a refusal, if it is one of the key itself, and so the same for its next request. */
  record(key: PresentedKey, known: RememberedRefusal): void;
  /** Returns the refusal of a request for `size` notifications; undefined when that is not known. */
  findQuota(keyHash: string, size: number): RememberedRefusal | undefined;
  /** Records that a request for `size` notifications would have crossed the key's quota. */
  recordQuota(keyHash: string, size: number, known: RememberedRefusal): void;
}

/**
 * Creates an empty memory for one process.
 *
 * @param clock milliseconds that only go forward
 */
export function createRefusedKeys(clock: () => number = () => performance.now()): RefusedKeys {
  const limits = { ttlMs: REFUSED_MS, maxEntries: MAX_KEYS, now: clock };
  const refused = createExpiringMap<string, RememberedRefusal & { at: number }>(limits);
  const overQuota = createExpiringMap<string, RememberedRefusal & { size: number }>(limits);
  const idOf = ({ keyHash, permission }: PresentedKey) => `${permission ?? ""} ${keyHash}`;
  return {
    find(presented, now) {
      const known = refused.get(idOf(presented));
      if (known?.refusal.code !== "rate_limit_exceeded") return known;
      const key = { ...known.key, reset_s: Math.ceil(known.key.reset_s - (clock() - known.at) / 1000) };
      // `reset_s` is rounded up, so the last second may be over at any time.
      return key.reset_s > 1 ? { refusal: keyRateExceeded(key, now), key } : undefined;
    },
    record(presented, { refusal, key }) {
      const { code } = refusal;
      if (code !== "rate_limit_exceeded" && code !== "api_access_off" && code !== "permission_missing") {
        return;
      }
      refused.set(idOf(presented), { refusal, key, at: clock() });
    },
    findQuota(keyHash, size) {
      const known = overQuota.get(keyHash);
      return known !== undefined && size >= known.size ? known : undefined;
    },
    recordQuota(keyHash, size, known) {
      // The quota may be new in less than a second.
      if (known.refusal.retryAfterS! > 1) overQuota.set(keyHash, { ...known, size });
    },
  };
}
