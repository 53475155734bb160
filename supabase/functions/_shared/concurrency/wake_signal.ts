/** Notifies waiting parts of a process that there is work. */
export interface WakeSignal {
  notify(): void;
  /**
   * Resolves at the next `notify`, after `ms` milliseconds, or when `signal` aborts, whichever is first. Returns whether it
   * was a `notify`.
   */
  wait(ms: number, signal?: AbortSignal): Promise<boolean>;
}

/** Creates a signal. A `notify` while nothing waits is kept for the next `wait`, so that no notification is lost. */
export function createWakeSignal(): WakeSignal {
  const waiting = new Set<(isNotified: boolean) => void>();
  let pending = false;

  return {
    notify() {
      pending = waiting.size === 0;
      [...waiting].forEach((wakeUp) => wakeUp(true));
    },
    wait(ms, signal) {
      return new Promise((resolve) => {
        if (pending || signal?.aborted) {
          resolve(pending);
          pending = false;
          return;
        }
        const finish = (isNotified: boolean) => {
          clearTimeout(timer);
          signal?.removeEventListener("abort", stop);
          waiting.delete(finish);
          resolve(isNotified);
        };
        const stop = () => finish(false);
        const timer = setTimeout(stop, ms);
        signal?.addEventListener("abort", stop);
        waiting.add(finish);
      });
    },
  };
}
