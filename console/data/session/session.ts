import { computed, signal } from "@preact/signals";

/** A user who is logged in. */
export interface LoggedIn {
  /** Of the log-in in this browser: the same in a copy of the tab. */
  id: string;
  token: string;
  /** Works once: the next one comes with the next token. */
  refreshToken: string;
  userId: string;
  /** When the token expires, in milliseconds since 1970. The session goes on with another one. */
  expiresAt: number;
  email: string;
  name: string | undefined;
}

/** Why the log-in is shown. */
export type Ending = "expired" | "idle" | "left";

/**
 * In memory, and in this tab's `sessionStorage` so that a reload keeps it: never where another day finds it. Other tabs
 * ask for it (`tokens.ts`).
 */
const KEY = "outbound-console.session";

export const session = signal<LoggedIn | undefined>(restore());

/** The log-in, which stays the same while its tokens change. */
export const sessionId = computed(() => session.value?.id);

/** Why there is no session; undefined at the beginning. */
export const ending = signal<Ending | undefined>(undefined);

/** Begins a session of this tab. One of another user ends first, so that nothing of theirs stays on the page. */
export function beginSession(loggedIn: LoggedIn): void {
  session.value = undefined;
  ending.value = undefined;
  setSession(loggedIn);
}

const ended = new Set<string>();

/** Takes over the session of another tab, where this one has none, and has not ended it. */
export function joinSession(loggedIn: LoggedIn): void {
  if (session.peek() === undefined && !ended.has(loggedIn.id)) beginSession(loggedIn);
}

/** Goes on with the session's next tokens; without effect when it has ended meanwhile. */
export function renewSession(next: LoggedIn): void {
  if (session.peek()?.id === next.id) setSession(next);
}

function setSession(loggedIn: LoggedIn): void {
  sessionStorage.setItem(KEY, JSON.stringify(loggedIn));
  session.value = loggedIn;
}

/** Ends it; the address stays, so that the next log-in leads back to it. */
export function endSession(reason: Ending): void {
  // Drafts as well: nothing of one person stays for the next one.
  sessionStorage.clear();
  if (session.peek()) ended.add(session.peek()!.id);
  ending.value = reason;
  session.value = undefined;
}

function restore(): LoggedIn | undefined {
  try {
    return (JSON.parse(sessionStorage.getItem(KEY) ?? "null") as LoggedIn | null) ?? undefined;
  } catch {
    return undefined;
  }
}
