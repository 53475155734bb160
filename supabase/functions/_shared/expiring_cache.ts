export interface ExpiringCache<Key, Value> {
  /** The value, at most as old as the cache allows; concurrent readers of one key share one load. */
  get(key: Key): Promise<Value>;
  /** Loads the value now, and keeps it. */
  refresh(key: Key): Promise<Value>;
  /** Whether `get` would answer without loading. */
  has(key: Key): boolean;
}

interface Entry<Value> {
  value: Promise<Value>;
  loadedAt: number;
}

/**
 * Keeps what `load` returns for `ttlMs` milliseconds. Keys are compared by their JSON. A failed load is not kept.
 * When full, the entry loaded longest ago makes room.
 */
export function createExpiringCache<Key, Value>(
  load: (key: Key) => Promise<Value>,
  { ttlMs, maxEntries }: { ttlMs: number; maxEntries: number },
): ExpiringCache<Key, Value> {
  const entries = new Map<string, Entry<Value>>();

  function fresh(id: string): Entry<Value> | undefined {
    const entry = entries.get(id);
    return entry && performance.now() - entry.loadedAt < ttlMs ? entry : undefined;
  }

  function start(key: Key, id: string): Promise<Value> {
    const entry = { value: load(key), loadedAt: performance.now() };
    entries.delete(id);
    if (entries.size >= maxEntries) entries.delete(entries.keys().next().value!);
    entries.set(id, entry);
    entry.value.catch(() => {
      if (entries.get(id) === entry) entries.delete(id);
    });
    return entry.value;
  }

  return {
    get(key) {
      const id = JSON.stringify(key);
      return fresh(id)?.value ?? start(key, id);
    },
    refresh: (key) => start(key, JSON.stringify(key)),
    has: (key) => fresh(JSON.stringify(key)) !== undefined,
  };
}
