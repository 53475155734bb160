import { signal } from "@preact/signals";

/** Somebody who is logged in. */
export interface LoggedIn {
  token: string;
  userId: string;
  /** Milliseconds since 1970. */
  expiresAt: number;
  email: string;
  name: string | undefined;
}

/** Why the log-in is shown. */
export type Ending = "expired" | "idle" | "left";

/** In memory, and in this tab's `sessionStorage` so that a reload keeps it: never where another tab or day finds it. */
const KEY = "outbound-console.session";

export const session = signal<LoggedIn | undefined>(restore());

/** Why there is no session; undefined at the beginning. */
export const ending = signal<Ending | undefined>(undefined);

/** Begins a session of this tab. One of somebody else ends first, so that nothing of theirs stays on the page. */
export function beginSession(loggedIn: LoggedIn): void {
  session.value = undefined;
  sessionStorage.setItem(KEY, JSON.stringify(loggedIn));
  ending.value = undefined;
  session.value = loggedIn;
}

/** Ends it; the address stays, so that the next log-in leads back to it. */
export function endSession(reason: Ending): void {
  // Drafts as well: nothing of one person stays for the next one.
  sessionStorage.clear();
  ending.value = reason;
  session.value = undefined;
}

function restore(): LoggedIn | undefined {
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEY) ?? "null") as LoggedIn | null;
    return kept && kept.expiresAt > Date.now() ? kept : undefined;
  } catch {
    return undefined;
  }
}
