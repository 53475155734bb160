import { changeEntry, type Entry, readEntry } from "./entries.ts";
import type { Problem } from "./problem.ts";
import { useEntry } from "./query.ts";

/** One page of a list of the API: `next` is given as `after`, and null at the end. */
export interface Page<T> {
  rows: T[];
  next: string | null;
}

/** A list that is read page by page as it is scrolled. */
export interface List<T> {
  /** Undefined until the first page is there. */
  rows: T[] | undefined;
  /** Whether all of the list is in `rows`. */
  isComplete: boolean;
  isReading: boolean;
  problem: Problem | undefined;
  idOf(row: T): string;
  readMore(): void;
  reload(): void;
  /** Changes a row; returns whether it is in the list. */
  patch(id: string, change: Partial<T>): boolean;
}

export interface ListOptions<T> {
  /** Names all that the list depends on: company and filters. */
  key: string;
  idOf(row: T): string;
  /** Reads the page after a cursor, or the first one. */
  read(after: string | undefined, signal: AbortSignal): Promise<Page<T>>;
}

/** Reads a list and keeps it, as `useQuery` does. A reload reads the first page and keeps what is below it. */
export function useList<T>({ key, idOf, read }: ListOptions<T>): List<T> {
  const entry: Entry<Page<T>> = useEntry<Page<T>>(key, async (signal) => {
    const first = await read(undefined, signal);
    const known = entry.data.peek();
    return known === undefined ? first : withNewer(known, first, idOf);
  });
  const page = entry.data.value;
  const isReading = entry.isReading.value;

  async function readMore(): Promise<void> {
    const known = entry.data.peek();
    if (!known?.next || entry.reading !== undefined) return;
    await readEntry(entry, async (signal) => {
      const more = await read(known.next!, signal);
      return { rows: [...entry.data.peek()!.rows, ...more.rows], next: more.next };
    });
  }

  return {
    rows: page?.rows,
    isComplete: page?.next === null,
    isReading,
    problem: entry.problem.value,
    idOf,
    readMore: () => void readMore(),
    reload: () => void readEntry(entry),
    patch(id, change) {
      changeEntry(entry, (known) => withChange(known, (row) => idOf(row) === id, change));
      return entry.data.peek()?.rows.some((row) => idOf(row) === id) ?? false;
    },
  };
}

function withChange<T>(page: Page<T>, isIt: (row: T) => boolean, change: Partial<T>): Page<T> {
  const at = page.rows.findIndex(isIt);
  return at < 0 ? page : { ...page, rows: page.rows.with(at, { ...page.rows[at]!, ...change }) };
}

/** Puts the first page, read anew, in place of what was known of it. */
function withNewer<T>(known: Page<T>, first: Page<T>, idOf: (row: T) => string): Page<T> {
  const last = first.rows.at(-1);
  const end = last === undefined ? -1 : known.rows.findIndex((row) => idOf(row) === idOf(last));
  if (first.next === null || end < 0) return first;
  // A row that moved to the top is not below as well.
  const above = new Set(first.rows.map(idOf));
  const below = known.rows.slice(end + 1).filter((row) => !above.has(idOf(row)));
  return { rows: [...first.rows, ...below], next: known.next };
}
