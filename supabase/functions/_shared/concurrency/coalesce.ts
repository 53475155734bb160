/**
 * Returns a function that runs `work`, at most once at a time. A caller during a run shares the next run with everyone
 * else who called meanwhile, so it always sees a run that started after its call.
 */
export function coalesce(work: () => Promise<void>): () => Promise<void> {
  let current: Promise<void> | null = null;
  let next: Promise<void> | null = null;

  function begin(): Promise<void> {
    next = null;
    return current = work().finally(() => {
      if (next === null) current = null;
    });
  }

  return () => current === null ? begin() : next ??= current.then(begin, begin);
}
