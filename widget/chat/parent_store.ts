import type { Store } from "../shared/open_store.ts";

/** What the page around this one stores for it: browsers may forbid a page of another site to store anything itself. */
export interface ParentStore extends Store {
  /** Takes what another tab has stored or, as null, removed. */
  receive(name: string, value: string | null): void;
}

/**
 * Keeps texts in memory and hands every change to `storeAtParent`.
 *
 * @param stored what was stored before
 */
export function createParentStore(
  stored: Record<string, string>,
  storeAtParent: (name: string, value: string | null) => void,
): ParentStore {
  const values = new Map(Object.entries(stored));
  return {
    get: (name) => values.get(name),
    set(name, value) {
      if (values.get(name) === value) return;
      values.set(name, value);
      storeAtParent(name, value);
    },
    remove: (name) => void (values.delete(name) && storeAtParent(name, null)),
    names: (start) => [...values.keys()].filter((name) => name.startsWith(start)),
    receive: (name, value) => void (value === null ? values.delete(name) : values.set(name, value)),
  };
}
