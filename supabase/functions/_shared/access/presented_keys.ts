import { hashAccessKey } from "./new_keys.ts";
import { createExpiringMap } from "../concurrency/expiring_cache.ts";
import type { WindowCounter } from "../concurrency/window_counter.ts";

/** A key that was just created or activated may be refused for this long. */
const UNKNOWN_MS = 1000;
/** A key that was revoked may be trusted with a large body for this long; its requests are refused at once. */
const GOOD_MS = 30_000;
/** A key that was good is looked up for this long, however many unknown ones its address presents. */
const WAS_GOOD_MS = 86_400_000;
const MAX_KEYS = 10_000;
/** How many hashes are kept. One process rarely serves more keys in a minute. */
const MAX_HASHES = 1000;
/** Longer than any key that this service makes. */
const MAX_HASHED_LENGTH = 200;

/** The findings of the last queries about presented keys. A hint: only the database lets a key pass. */
export interface KnownKeys {
  /** Returns the hash that a key is stored and looked up by. Keeps the last keys, because hashing costs more. */
  hash(key: string): string;
  isGood(key: string): boolean;
  /** Returns whether the key was good within the last day. */
  wasGood(key: string): boolean;
  isUnknown(key: string): boolean;
  record(key: string, outcome: "good" | "unknown"): void;
}

/** Makes an empty memory for one process. */
export function createKnownKeys(): KnownKeys {
  const good = createExpiringMap<string, true>({ ttlMs: GOOD_MS, maxEntries: MAX_KEYS });
  const wasGood = createExpiringMap<string, true>({ ttlMs: WAS_GOOD_MS, maxEntries: MAX_KEYS });
  const unknown = createExpiringMap<string, true>({ ttlMs: UNKNOWN_MS, maxEntries: MAX_KEYS });
  const hashes = new Map<string, string>();
  return {
    hash(key) {
      const known = hashes.get(key);
      if (known !== undefined) return known;
      const hash = hashAccessKey(key);
      if (key.length > MAX_HASHED_LENGTH) return hash;
      if (hashes.size >= MAX_HASHES) hashes.delete(hashes.keys().next().value!);
      hashes.set(key, hash);
      return hash;
    },
    isGood: (key) => good.get(key) === true,
    wasGood: (key) => wasGood.get(key) === true,
    isUnknown: (key) => unknown.get(key) === true,
    record(key, outcome) {
      for (const map of [good, wasGood, unknown]) map.delete(key);
      for (const map of outcome === "good" ? [good, wasGood] : [unknown]) map.set(key, true);
    },
  };
}

/** Wrong credentials per minute of one address before it has to wait. An office is one address. */
export const MAX_REFUSALS = 600;

/** A large body costs as much as several refusals, because all of it was read. */
const BYTES_PER_REFUSAL = 64 * 1024;

const TRUST_MS = 3_600_000;
const MAX_ADDRESSES = 10_000;

/** Addresses that present wrong credentials. In memory, so that a refusal needs no query. */
export interface RefusedAddresses {
  /**
   * Counts a wrong credential. An address that is not known is not counted.
   *
   * @param bytes of the body that was read until then. @default 0
   */
  count(address: string | undefined, bytes?: number): void;
  /** Returns the whole seconds until the address may retry; 0 when it may now. */
  waitS(address: string | undefined): number;
  /** Records that a platform's signature from this address matched. */
  trust(address: string | undefined): void;
  /** Returns whether a signature from this address matched within the last hour. */
  isTrusted(address: string | undefined): boolean;
}

/** Makes an empty memory that counts in `perMinute`. */
export function createRefusedAddresses(perMinute: WindowCounter): RefusedAddresses {
  const trusted = createExpiringMap<string, true>({ ttlMs: TRUST_MS, maxEntries: MAX_ADDRESSES });
  const subjectOf = (address: string) => `refused:${address}`;
  const isTrusted = (address: string | undefined) => address !== undefined && trusted.get(address) === true;
  return {
    count(address, bytes = 0) {
      if (address !== undefined) perMinute.add(subjectOf(address), 1 + bytes / BYTES_PER_REFUSAL);
    },
    waitS(address) {
      return address === undefined ? 0 : perMinute.waitS(subjectOf(address), MAX_REFUSALS);
    },
    trust(address) {
      if (address !== undefined) trusted.set(address, true);
    },
    isTrusted,
  };
}
