import { effect, signal } from "@preact/signals";
import { readPreference, writePreference } from "../preferences.ts";
import { endSession, session, sessionId } from "./session.ts";

const IDLE_MS = 30 * 60_000;
const WARN_MS = 60_000;
const CHECK_MS = 1000;

/** Seconds until the session ends by itself; undefined while that is far. */
export const endsInS = signal<number | undefined>(undefined);

/** The time of the last key, click or move in this browser, for all tabs. */
const ACTIVE_AT = "active-at";

let activeAt = 0;

/** Starts the half hour anew, in all tabs. */
export function stayActive(): void {
  const now = Date.now();
  // Wheels and mice turn and move many times in a second.
  if (now - activeAt < CHECK_MS && now >= activeAt) return;
  activeAt = now;
  writePreference(ACTIVE_AT, String(now));
}

/** Ends the session of a person who is away from all tabs for half an hour; warns a minute before. */
export function watchIdle(): void {
  for (const event of ["pointerdown", "pointermove", "keydown", "wheel"]) {
    addEventListener(event, () => endsInS.peek() === undefined && stayActive(), { passive: true });
  }
  // A browser may restore a tab after days.
  if (session.peek() && lastActiveAt() > 0) check();
  effect(() => {
    if (sessionId.value === undefined) return;
    stayActive();
    const timer = setInterval(check, CHECK_MS);
    return () => {
      clearInterval(timer);
      endsInS.value = undefined;
    };
  });
}

/** Returns the latest key, click or move in any tab. A time in the future does not count: the clock was set back since. */
function lastActiveAt(): number {
  const elsewhere = Number(readPreference(ACTIVE_AT));
  return elsewhere <= Date.now() ? Math.max(elsewhere, activeAt) : activeAt;
}

function check(): void {
  const leftMs = lastActiveAt() + IDLE_MS - Date.now();
  if (leftMs <= 0) endSession("idle");
  else endsInS.value = leftMs <= WARN_MS ? Math.ceil(leftMs / 1000) : undefined;
}
