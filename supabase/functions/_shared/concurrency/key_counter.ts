/** Limits how many tasks run at once, of one key and in all. A task that finds no free slot is refused; none waits. */
export interface KeyCounter {
  /** Takes a slot. Returns the function that releases it, or which limit is reached. */
  take(key: string): (() => void) | "key" | "all";
}

/** Creates a counter of this process. */
export function createKeyCounter({ perKey, total }: { perKey: number; total: number }): KeyCounter {
  const running = new Map<string, number>();
  let all = 0;
  return {
    take(key) {
      const own = running.get(key) ?? 0;
      if (own >= perKey) return "key";
      if (all >= total) return "all";
      running.set(key, own + 1);
      all++;
      return () => {
        all--;
        const left = running.get(key)! - 1;
        if (left === 0) running.delete(key);
        else running.set(key, left);
      };
    },
  };
}
