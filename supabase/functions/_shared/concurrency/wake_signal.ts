/** Notifies waiting parts of a process that there is work. */
export interface WakeSignal {
  notify(): void;
  /** Resolves at the next `notify`, after `ms` milliseconds, or when `signal` aborts, whichever is first. */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Creates a signal. A `notify` while nothing waits is kept for the next `wait`, so that no notification is lost. */
export function createWakeSignal(): WakeSignal {
  const waiting = new Set<() => void>();
  let pending = false;

  return {
    notify() {
      pending = waiting.size === 0;
      [...waiting].forEach((wakeUp) => wakeUp());
    },
    wait(ms, signal) {
      return new Promise((resolve) => {
        if (pending || signal?.aborted) {
          pending = false;
          return resolve();
        }
        const finish = () => {
          clearTimeout(timer);
          signal?.removeEventListener("abort", finish);
          waiting.delete(finish);
          resolve();
        };
        const timer = setTimeout(finish, ms);
        signal?.addEventListener("abort", finish);
        waiting.add(finish);
      });
    },
  };
}
