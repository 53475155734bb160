import { useEffect } from "preact/hooks";
import { changeEntry, type Entry, entryOf, hideEntry, readEntry, showEntry } from "./entries.ts";
import type { Problem } from "./problem.ts";

/** A part that comes back shows what is known; older data than this is read anew. */
const FRESH_MS = 3000;

/** Data of the API, for a part of the page. */
export interface Query<T> {
  /** Undefined until the first reading is done. */
  data: T | undefined;
  problem: Problem | undefined;
  isReading: boolean;
  reload(): void;
  /** Changes what is shown, until the next reading: after an event, or an action. */
  patch(change: (data: T) => T): void;
}

/**
 * Reads something and keeps it under `key`, which names all it depends on. Two parts with one key read once. The
 * reading ends when the last part leaves the page.
 */
export function useQuery<T>(key: string, read: (signal: AbortSignal) => Promise<T>): Query<T> {
  const entry = useEntry(key, read);
  return {
    data: entry.data.value,
    problem: entry.problem.value,
    isReading: entry.isReading.value,
    reload: () => void readEntry(entry),
    patch: (change) => changeEntry(entry, change),
  };
}

/** Follows an entry while the part is on the page. */
export function useEntry<T>(key: string, read: Entry<T>["read"]): Entry<T> {
  const entry = entryOf(key, read);
  useEffect(() => {
    showEntry(entry, FRESH_MS);
    return () => hideEntry(entry);
  }, [entry]);
  return entry;
}
