/** There was no slot for a task, or none became free in time. */
export class NoSlotError extends Error {
  override readonly name = "NoSlotError";
}

/** Limits how many tasks run at once, and each key to one of them. */
export interface KeyedSlots {
  /**
   * Runs `work` as soon as a slot is free and no other work of `key` is running. First come, first served, except that
   * work waits for no other work whose key is busy.
   *
   * @throws {NoSlotError} when too many of this key wait, or it waited too long
   */
  run<T>(key: string, work: () => Promise<T>): Promise<T>;
}

export interface KeyedSlotsOptions {
  slots: number;
  /** How many of one key may wait. */
  maxWaiting: number;
  waitMs: number;
}

interface Waiter {
  key: string;
  start(): void;
}

/** Creates slots that are all free. */
export function createKeyedSlots({ slots, maxWaiting, waitMs }: KeyedSlotsOptions): KeyedSlots {
  const running = new Set<string>();
  let waiting: Waiter[] = [];

  const isFree = (key: string) => running.size < slots && !running.has(key);

  function take(key: string): Promise<void> {
    if (isFree(key)) {
      running.add(key);
      return Promise.resolve();
    }
    if (waiting.filter((waiter) => waiter.key === key).length >= maxWaiting) {
      throw new NoSlotError("Too many wait");
    }
    return new Promise((resolve, reject) => {
      const waiter = { key, start: () => (clearTimeout(timer), resolve()) };
      const timer = setTimeout(() => {
        waiting = waiting.filter((other) => other !== waiter);
        reject(new NoSlotError("Waited too long"));
      }, waitMs);
      waiting.push(waiter);
    });
  }

  function free(key: string): void {
    running.delete(key);
    const next = waiting.find((waiter) => isFree(waiter.key));
    if (next === undefined) return;
    waiting = waiting.filter((waiter) => waiter !== next);
    running.add(next.key);
    next.start();
  }

  return {
    async run(key, work) {
      await take(key);
      try {
        return await work();
      } finally {
        free(key);
      }
    },
  };
}
