/**
 * Values that are loaded when they are needed, and again when they are too old.
 *
 * Not `lru-cache`: its `forceRefresh` returns a load that is under way, and so facts older than the call.
 */
export interface ExpiringCache<Key, Value> {
  /** Returns the value, at most as old as the cache allows. Concurrent readers of one key share one load. */
  get(key: Key): Promise<Value>;
  /** Starts a load now, and keeps its value. */
  refresh(key: Key): Promise<Value>;
  /** Returns the value like `get`, and whether this call started its load. */
  find(key: Key): { value: Promise<Value>; isFresh: boolean };
}

/**
 * Creates a cache that keeps what `load` returns for `ttlMs` milliseconds. Keys are compared by their JSON. A failed load is not kept.
 * When it is full, the entry loaded longest ago is dropped.
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

  function find(key: Key): { value: Promise<Value>; isFresh: boolean } {
    const id = JSON.stringify(key);
    const known = entries.get(id);
    return { value: known ?? start(key, id), isFresh: known === undefined };
  }

  return {
    get: (key) => find(key).value,
    refresh: (key) => start(key, JSON.stringify(key)),
    find,
  };
}

/** Keeps values for a while. When it is full, the value set longest ago is dropped. */
export interface ExpiringMap<Key, Value> {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): void;
  delete(key: Key): void;
}

/**
 * Creates an empty map whose entries expire `ttlMs` milliseconds after they were set.
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
