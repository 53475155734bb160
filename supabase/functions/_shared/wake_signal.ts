/** Lets one part of a process tell another that there is work, without either knowing the other. */
export interface WakeSignal {
  notify(): void;
  /** Resolves at the next `notify`, after `ms` milliseconds, or when `signal` aborts, whichever is first. */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
}

/** A `notify` that nobody was waiting for is remembered, so no wake-up is ever missed. */
export function createWakeSignal(): WakeSignal {
  let pending = false;
  let wakeUp: (() => void) | null = null;

  return {
    notify() {
      pending = true;
      wakeUp?.();
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
          wakeUp = null;
          pending = false;
          resolve();
        };
        const timer = setTimeout(finish, ms);
        signal?.addEventListener("abort", finish);
        wakeUp = finish;
      });
    },
  };
}
