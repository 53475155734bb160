import type { SpanContext } from "@opentelemetry/api";
import { type Batcher, createBatcher } from "../concurrency/batcher.ts";
import type { Tracing } from "./tracing.ts";

interface TracedItem<Item> {
  item: Item;
  from: SpanContext | undefined;
}

/** Creates a batcher whose runs are spans called `name`, each linked to the spans in which its items were added. */
export function createTracedBatcher<Item, Result>(
  { tracing, name }: { tracing: Tracing; name: string },
  run: (items: Item[]) => Promise<Result[]>,
  options: Parameters<typeof createBatcher>[1],
): Batcher<Item, Result> {
  if (!tracing.isOn) return createBatcher(run, options);
  const batcher = createBatcher((entries: TracedItem<Item>[]) => {
    const links = entries.flatMap(({ from }) => from ?? []);
    const facts = { "outbound.batch_size": entries.length };
    return tracing.span(
      name,
      { links, facts, startsTrace: true },
      () => run(entries.map(({ item }) => item)),
    );
  }, options);
  return {
    add: (item) => batcher.add({ item, from: tracing.current() }),
    idle: batcher.idle,
  };
}
