import { effect, signal } from "@preact/signals";
import { endSession, session } from "./session.ts";

const IDLE_MS = 30 * 60_000;
const WARN_MS = 60_000;
const CHECK_MS = 1000;

/** Seconds until the session ends by itself; undefined while that is far. */
export const endsInS = signal<number | undefined>(undefined);

/** Why it would end. */
export const endsBecause = signal<"idle" | "expired">("idle");

let activeAt = Date.now();

/** Starts the half hour anew. */
export function stayActive(): void {
  activeAt = Date.now();
}

/** Ends the session of a person who is away for half an hour, or whose token ends; warns a minute before. */
export function watchIdle(): void {
  for (const event of ["pointerdown", "keydown", "wheel"]) {
    addEventListener(event, () => endsInS.peek() === undefined && stayActive(), { passive: true });
  }
  effect(() => {
    const loggedIn = session.value;
    if (loggedIn === undefined) return;
    stayActive();
    const timer = setInterval(() => check(loggedIn.expiresAt), CHECK_MS);
    return () => {
      clearInterval(timer);
      endsInS.value = undefined;
    };
  });
}

function check(expiresAt: number): void {
  const endsAt = Math.min(activeAt + IDLE_MS, expiresAt);
  const leftMs = endsAt - Date.now();
  endsBecause.value = endsAt === expiresAt ? "expired" : "idle";
  if (leftMs <= 0) endSession(endsBecause.value);
  else endsInS.value = leftMs <= WARN_MS ? Math.ceil(leftMs / 1000) : undefined;
}
