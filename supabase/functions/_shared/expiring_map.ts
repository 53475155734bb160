/** Remembers values for a while. When full, what was set longest ago makes room. */
export interface ExpiringMap<Key, Value> {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): void;
  delete(key: Key): void;
}

/**
 * Makes an empty map whose entries end `ttlMs` milliseconds after they were set.
 *
 * @param now milliseconds that only go forward. @default performance.now
 */
export function createExpiringMap<Key, Value>(
  { ttlMs, maxEntries, now = () => performance.now() }: {
    ttlMs: number;
    maxEntries: number;
    now?: () => number;
  },
): ExpiringMap<Key, Value> {
  const entries = new Map<Key, { value: Value; until: number }>();
  return {
    get(key) {
      const entry = entries.get(key);
      return entry && now() < entry.until ? entry.value : undefined;
    },
    set(key, value) {
      entries.delete(key);
      if (entries.size >= maxEntries) entries.delete(entries.keys().next().value!);
      entries.set(key, { value, until: now() + ttlMs });
    },
    delete: (key) => void entries.delete(key),
  };
}
