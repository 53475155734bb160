export interface Batcher<Item, Result> {
  /** Adds one item; resolves with its own result. */
  add(item: Item): Promise<Result>;
  /** Resolves when nothing waits or runs. */
  idle(): Promise<void>;
}

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/**
 * Runs items in batches. Items that arrive during a run go together in the next one, so a lone item never waits, and the
 * cost per item falls as the load grows.
 *
 * `run` returns one result per item, in order. When a run with several items fails, each of them runs again alone, so that
 * one bad item cannot fail the others.
 *
 * @param isOfOneItem whether one of the items may have caused an error. Any other error fails all. @default always
 */
export function createBatcher<Item, Result>(
  run: (items: Item[]) => Promise<Result[]>,
  { maxItems, isOfOneItem = () => true }: { maxItems: number; isOfOneItem?: (error: unknown) => boolean },
): Batcher<Item, Result> {
  let waiting: Waiting<Item, Result>[] = [];
  let working: Promise<void> | null = null;

  /** Returns a function that settles the promises of this batch. */
  async function runTogether(batch: Waiting<Item, Result>[]): Promise<() => void> {
    try {
      const results = await run(batch.map((entry) => entry.item));
      return () => batch.forEach((entry, index) => entry.resolve(results[index]!));
    } catch (error) {
      if (batch.length === 1 || !isOfOneItem(error)) {
        return () => batch.forEach((entry) => entry.reject(error));
      }
      for (const entry of batch) (await runTogether([entry]))();
      return () => {};
    }
  }

  async function work(): Promise<void> {
    let settle = () => {};
    while (waiting.length > 0) {
      const batch = waiting.slice(0, maxItems);
      waiting = waiting.slice(maxItems);
      const run = runTogether(batch);
      // The callers of the batch before continue while this one runs.
      settle();
      settle = await run;
    }
    settle();
    working = null;
  }

  return {
    add(item) {
      return new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject });
        working ??= work();
      });
    },
    async idle() {
      while (working) await working;
    },
  };
}
