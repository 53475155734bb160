import { createExpiringMap } from "../expiring_map.ts";

/** A key that was made or activated may be refused for this long. */
const UNKNOWN_MS = 1000;
/** A key that was revoked may be trusted with a large body for this long; what it asks for is refused at once. */
const GOOD_MS = 30_000;
/** A key that was good is looked up for this long, however many unknown ones its address presents. */
const WAS_GOOD_MS = 86_400_000;
const MAX_KEYS = 10_000;

/** What the database said lately about presented keys. A hint: only the database lets a key pass. */
export interface KnownKeys {
  isGood(key: string): boolean;
  /** Whether it was within a day. */
  wasGood(key: string): boolean;
  isUnknown(key: string): boolean;
  note(key: string, outcome: "good" | "unknown"): void;
}

/** Makes an empty memory for one process. */
export function createKnownKeys(): KnownKeys {
  const good = createExpiringMap<string, true>({ ttlMs: GOOD_MS, maxEntries: MAX_KEYS });
  const wasGood = createExpiringMap<string, true>({ ttlMs: WAS_GOOD_MS, maxEntries: MAX_KEYS });
  const unknown = createExpiringMap<string, true>({ ttlMs: UNKNOWN_MS, maxEntries: MAX_KEYS });
  return {
    isGood: (key) => good.get(key) === true,
    wasGood: (key) => wasGood.get(key) === true,
    isUnknown: (key) => unknown.get(key) === true,
    note(key, outcome) {
      for (const map of [good, wasGood, unknown]) map.delete(key);
      for (const map of outcome === "good" ? [good, wasGood] : [unknown]) map.set(key, true);
    },
  };
}
