/** Lets one part of a process tell others that there is work, without either knowing the other. */
export interface WakeSignal {
  notify(): void;
  /** Resolves at the next `notify`, after `ms` milliseconds, or when `signal` aborts, whichever is first. */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Wakes all who wait. A `notify` that nobody was waiting for is remembered, so no wake-up is ever missed. */
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
