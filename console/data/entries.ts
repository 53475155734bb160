import { type Signal, signal } from "@preact/signals";
import { isAbort } from "./client.ts";
import { Problem } from "./problem.ts";

/** The data read under a key, kept while the tab is open, so that going back shows it at once. */
export interface Entry<T> {
  data: Signal<T | undefined>;
  problem: Signal<Problem | undefined>;
  isReading: Signal<boolean>;
  /** Milliseconds since 1970; 0 before the first reading. */
  readAt: number;
  /** Whether it may be behind: it was kept while nothing showed it, or while no changes came. */
  isOld: boolean;
  /** How many parts of the page show it. */
  users: number;
  read: (signal: AbortSignal) => Promise<T>;
  reading: AbortController | undefined;
  /** Changes by events since the reading began: its response may be older than they are. */
  changes: ((data: T) => T)[];
}

/** More would only be memory. */
const MAX_ENTRIES = 60;

const entries = new Map<string, Entry<unknown>>();

/** Returns the entry of a key, made if there is none. */
export function entryOf<T>(key: string, read: Entry<T>["read"]): Entry<T> {
  const known = entries.get(key) as Entry<T> | undefined;
  const entry: Entry<T> = known ?? {
    data: signal<T>(),
    problem: signal(),
    isReading: signal(false),
    readAt: 0,
    isOld: false,
    users: 0,
    read,
    reading: undefined,
    changes: [],
  };
  // The last used is the last to go.
  entries.delete(key);
  entries.set(key, entry as Entry<unknown>);
  if (known === undefined) dropOldest();
  return entry;
}

/**
 * Reads an entry anew; what is known stays until then. A reading under way ends.
 *
 * @param read reads this time only
 * @default the entry's own
 */
export async function readEntry<T>(entry: Entry<T>, read: Entry<T>["read"] = entry.read): Promise<void> {
  stopReading(entry);
  const reading = entry.reading = new AbortController();
  entry.changes = [];
  entry.isReading.value = true;
  try {
    const data = await read(reading.signal);
    if (reading.signal.aborted) return;
    entry.data.value = entry.changes.reduce<T>((changed, change) => change(changed), data);
    entry.problem.value = undefined;
    entry.readAt = Date.now();
    entry.isOld = false;
  } catch (error) {
    if (reading.signal.aborted || isAbort(error)) return;
    entry.problem.value = error instanceof Problem ? error : faultOfPage(error);
  } finally {
    if (entry.reading === reading) stopReading(entry);
    findOldest();
  }
}

/** Ends a reading under way, if any: no part of the page waits for it, or a newer one begins. */
function stopReading<T>(entry: Entry<T>): void {
  entry.reading?.abort();
  entry.reading = undefined;
  entry.isReading.value = false;
}

/** Changes what is known of an entry: after an event, or an action. */
export function changeEntry<T>(entry: Entry<T>, change: (data: T) => T): void {
  const known = entry.data.peek();
  if (known !== undefined) entry.data.value = change(known);
  if (entry.reading !== undefined) entry.changes.push(change);
}

function faultOfPage(error: unknown): Problem {
  reportError(error);
  return new Problem("page_error", "");
}

/** Reads everything anew that is shown. */
export function readAllShown(): void {
  for (const entry of entries.values()) if (entry.users > 0) void readEntry(entry);
}

/** Reads anew what is shown and may be behind. */
export function readOld(): void {
  for (const entry of entries.values()) {
    if (entry.users > 0 && entry.isOld && entry.reading === undefined) void readEntry(entry);
  }
}

/** The time of the oldest data that is shown and may be behind, in milliseconds since 1970. */
export const oldestShown = signal<number>();

/** Adds a part of the page that shows an entry, and reads it if it may be behind or is older than `freshMs`. */
export function showEntry<T>(entry: Entry<T>, freshMs: number): void {
  entry.users++;
  entry.isOld ||= Date.now() - entry.readAt > freshMs;
  if (entry.isOld && entry.reading === undefined) void readEntry(entry);
  findOldest();
}

/** Removes a part of the page that shows an entry. A reading without a reader ends. */
export function hideEntry<T>(entry: Entry<T>): void {
  if (--entry.users === 0) stopReading(entry);
  findOldest();
}

/** Marks all that is known as possibly behind: no changes come any more. */
export function markAllOld(): void {
  for (const entry of entries.values()) entry.isOld = true;
  findOldest();
}

/** Reads anew all that is shown, and the rest once it is shown: after a change that several parts of the page show. */
export function readAllAnew(): void {
  markAllOld();
  readAllShown();
}

function findOldest(): void {
  const times = [...entries.values()].filter(({ isOld, users, readAt }) => isOld && users > 0 && readAt > 0)
    .map(({ readAt }) => readAt);
  oldestShown.value = times.length === 0 ? undefined : Math.min(...times);
}

/** Forgets everything, at the end of a session. */
export function forgetEntries(): void {
  for (const entry of entries.values()) stopReading(entry);
  entries.clear();
}

function dropOldest(): void {
  for (const [key, { users }] of entries) {
    if (entries.size <= MAX_ENTRIES) return;
    if (users === 0) entries.delete(key);
  }
}
