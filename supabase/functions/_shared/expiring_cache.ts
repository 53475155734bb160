import { createExpiringMap } from "./expiring_map.ts";

export interface ExpiringCache<Key, Value> {
  /** The value, at most as old as the cache allows; concurrent readers of one key share one load. */
  get(key: Key): Promise<Value>;
  /** Loads the value now, and keeps it. */
  refresh(key: Key): Promise<Value>;
  /** Whether `get` would answer without loading. */
  has(key: Key): boolean;
}

/**
 * Keeps what `load` returns for `ttlMs` milliseconds. Keys are compared by their JSON. A failed load is not kept.
 * When full, the entry loaded longest ago makes room.
 */
export function createExpiringCache<Key, Value>(
  load: (key: Key) => Promise<Value>,
  limits: { ttlMs: number; maxEntries: number },
): ExpiringCache<Key, Value> {
  const entries = createExpiringMap<string, Promise<Value>>(limits);

  function start(key: Key, id: string): Promise<Value> {
    const value = load(key);
    entries.set(id, value);
    value.catch(() => {
      if (entries.get(id) === value) entries.delete(id);
    });
    return value;
  }

  return {
    get(key) {
      const id = JSON.stringify(key);
      return entries.get(id) ?? start(key, id);
    },
    refresh: (key) => start(key, JSON.stringify(key)),
    has: (key) => entries.get(JSON.stringify(key)) !== undefined,
  };
}
