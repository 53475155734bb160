/** Choices of a person in this browser. Never a token: those are in `session.ts`. */
const PREFIX = "outbound-console.";

/** Returns a choice; null where none was made, or the browser keeps nothing. */
export function readPreference(name: string): string | null {
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    return null;
  }
}

/** Keeps a choice where the browser allows it. */
export function writePreference(name: string, value: string): void {
  try {
    localStorage.setItem(PREFIX + name, value);
  } catch {
    // Private windows may keep nothing; the choice then lasts as long as the page.
  }
}

/** The notifications of this browser: whose they are, and the id of each by company. */
export interface PushRecord {
  userId: string;
  ids: Record<string, string>;
}

/** Returns what this browser remembers of them; undefined where it has none. */
export function readPushRecord(): PushRecord | undefined {
  return JSON.parse(readPreference("push") || "null") ?? undefined;
}
