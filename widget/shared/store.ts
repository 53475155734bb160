/** Stores texts by name from visit to visit. */
export interface Store {
  get(name: string): string | undefined;
  set(name: string, value: string): void;
  remove(name: string): void;
  /** Returns all names with this prefix. */
  names(prefix: string): string[];
}

/**
 * Opens the browser's storage under a prefix of our own. Uses this page's memory where the browser forbids storage, as
 * many do in iframes. Never throws.
 */
export function openStore(prefix: string): Store {
  const memory = new Map<string, string>();
  const storage = browserStorage();
  return {
    get: (name) => memory.get(name) ?? attempt(() => storage?.getItem(prefix + name)) ?? undefined,
    set(name, value) {
      // With the storage full, the value lasts at least as long as the page.
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

function browserStorage(): Storage | undefined {
  return attempt(() => globalThis.localStorage);
}

function attempt<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
