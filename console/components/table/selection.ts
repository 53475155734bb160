import { useState } from "preact/hooks";

/** The rows that a person chose, by their ids. */
export interface Selection {
  chosen: string[];
  has(id: string): boolean;
  toggle(id: string): void;
  choose(ids: string[]): void;
  clear(): void;
}

/** Keeps which rows are chosen, while the list with this key is on the page. */
export function useSelection(key: string): Selection {
  const [state, setState] = useState<{ key: string; ids: Set<string> }>({ key, ids: new Set() });
  const ids = state.key === key ? state.ids : new Set<string>();
  const set = (next: Iterable<string>) => setState({ key, ids: new Set(next) });
  return {
    chosen: [...ids],
    has: (id) => ids.has(id),
    toggle: (id) => set(ids.has(id) ? [...ids].filter((each) => each !== id) : [...ids, id]),
    choose: set,
    clear: () => set([]),
  };
}
