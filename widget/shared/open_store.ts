/** Keeps texts by name from visit to visit. */
export interface Store {
  get(name: string): string | undefined;
  set(name: string, value: string): void;
  remove(name: string): void;
  /** All names that begin so. */
  names(prefix: string): string[];
}

/**
 * The browser's storage under a prefix of our own, or, where a browser does not let us have one (many forbid it in
 * iframes), the memory of this page. Never throws.
 */
export function openStore(prefix: string): Store {
  const memory = new Map<string, string>();
  const storage = storageOrNothing();
  return {
    get: (name) => memory.get(name) ?? attempt(() => storage?.getItem(prefix + name)) ?? undefined,
    set(name, value) {
      // What does not fit any more is at least there until the page is left.
      if (!storage || attempt(() => (storage.setItem(prefix + name, value), true)) !== true) {
        memory.set(name, value);
      }
    },
    remove(name) {
      memory.delete(name);
      attempt(() => storage?.removeItem(prefix + name));
    },
    names(start) {
      const stored = attempt(() => Object.keys(storage ?? {})) ?? [];
      const own = stored.filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length));
      return [...new Set([...own, ...memory.keys()])].filter((name) => name.startsWith(start));
    },
  };
}

function storageOrNothing(): Storage | undefined {
  return attempt(() => globalThis.localStorage);
}

function attempt<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
