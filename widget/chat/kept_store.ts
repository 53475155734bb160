import type { Store } from "../shared/open_store.ts";

/** What is kept by the page around this one: a browser may forbid this one, as a page of another site, to keep anything. */
export interface KeptStore extends Store {
  /** Takes what another tab has kept or, as null, forgotten. */
  receive(name: string, value: string | null): void;
}

/**
 * Keeps texts in memory and hands every change to `keep`.
 *
 * @param kept what was kept before
 */
export function createKeptStore(
  kept: Record<string, string>,
  keep: (name: string, value: string | null) => void,
): KeptStore {
  const values = new Map(Object.entries(kept));
  return {
    get: (name) => values.get(name),
    set(name, value) {
      if (values.get(name) === value) return;
      values.set(name, value);
      keep(name, value);
    },
    remove: (name) => void (values.delete(name) && keep(name, null)),
    names: (start) => [...values.keys()].filter((name) => name.startsWith(start)),
    receive: (name, value) => void (value === null ? values.delete(name) : values.set(name, value)),
  };
}
