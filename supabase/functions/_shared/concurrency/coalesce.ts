/**
 * Returns a function that runs `work`, at most once at a time. A caller during a run shares the next run with everyone
 * else who called meanwhile, so it always sees a run that started after its call.
 */
export function coalesce<Value>(work: () => Promise<Value>): () => Promise<Value> {
  let current: Promise<Value> | null = null;
  let next: Promise<Value> | null = null;

  function begin(): Promise<Value> {
    next = null;
    return current = work().finally(() => {
      if (next === null) current = null;
    });
  }

  return () => current === null ? begin() : next ??= current.then(begin, begin);
}

/** Returns a function that coalesces `work` per key. */
export function coalesceByKey<Value>(work: (key: string) => Promise<Value>): (key: string) => Promise<Value> {
  const busy = new Map<string, { run: () => Promise<Value>; callers: number }>();

  return async (key) => {
    const entry = busy.get(key) ?? { run: coalesce(() => work(key)), callers: 0 };
    busy.set(key, entry);
    entry.callers++;
    try {
      return await entry.run();
    } finally {
      if (--entry.callers === 0) busy.delete(key);
    }
  };
}
