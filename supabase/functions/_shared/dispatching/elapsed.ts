import type { Services } from "../services.ts";

/**
 * Starts measuring; the returned function returns the milliseconds since. Of two clocks the one that went further
 * counts: the monotonic clock stands still while a virtual machine is suspended, the other one may be set back. A clock
 * that was set forward makes it too long, which here only hands work back.
 */
export function startElapsed({ now }: Pick<Services, "now">): () => number {
  const started = { monotonic: performance.now(), wall: now().getTime() };
  return () => Math.max(performance.now() - started.monotonic, now().getTime() - started.wall);
}
