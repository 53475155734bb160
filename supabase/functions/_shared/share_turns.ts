/**
 * Makes calls share turns of `work`, of which there is never more than one at a time: who calls while a turn is under
 * way shares the next one, so that nobody gets a turn that began before the call.
 */
export function shareTurns(work: () => Promise<void>): () => Promise<void> {
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
