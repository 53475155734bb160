export interface Batcher<Item, Result> {
  /** Hands in one item; resolves with its own result. */
  add(item: Item): Promise<Result>;
  /** Resolves when nothing is waiting or under way. */
  idle(): Promise<void>;
}

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/**
 * Shares calls: items that arrive while a call is under way go together in the next one, so a lone
 * item never waits and the cost per item falls as the load grows.
 *
 * `run` answers one result an item, in order. When a call with several items fails, each of them
 * is tried alone, so that one bad item cannot take the others down.
 *
 * @param isOfOneItem whether one of the items may have caused a failure; all of them share any other. @default always
 */
export function createBatcher<Item, Result>(
  run: (items: Item[]) => Promise<Result[]>,
  { maxItems, isOfOneItem = () => true }: { maxItems: number; isOfOneItem?: (error: unknown) => boolean },
): Batcher<Item, Result> {
  let waiting: Waiting<Item, Result>[] = [];
  let working: Promise<void> | null = null;

  /** Answers what is left to do: to tell each of the batch how it went. */
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
    let tell = () => {};
    while (waiting.length > 0) {
      const batch = waiting.slice(0, maxItems);
      waiting = waiting.slice(maxItems);
      const call = runTogether(batch);
      // Those of the call before go on while this one is under way.
      tell();
      tell = await call;
    }
    tell();
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
