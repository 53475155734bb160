import type { NotificationKey } from "../db/queue/dispatch_queue.ts";
import type { Services } from "../services.ts";

/**
 * Starts measuring; the returned function returns the milliseconds since. Of two clocks the one that went further
 * counts: the monotonic clock stands still while a virtual machine is suspended, and the wall clock may be set back. A
 * wall clock that is set forward makes it too long, which only hands work back.
 */
export function startElapsed({ now }: Pick<Services, "now">): () => number {
  const started = { monotonic: performance.now(), wall: now().getTime() };
  return () => Math.max(performance.now() - started.monotonic, now().getTime() - started.wall);
}

/**
 * Starts measuring a lease, before the claim is sent. The returned function returns whether half of it has passed: the
 * response came late, or the process stood still, and another worker may hold the lease soon.
 */
export function startLease(services: Pick<Services, "env" | "now">): () => boolean {
  const elapsedMs = startElapsed(services);
  return () => elapsedMs() > services.env.DISPATCH_LEASE_S * 1000 / 2;
}

/** The database may still execute a claim some time after its connection broke. */
const RECHECK_MS = 1000;

/** Claims whose response was lost. */
export interface LostClaims {
  /** Notes that a claim failed: the database may have made it, now or in a moment. */
  claimFailed(): void;
  /**
   * Releases what failed claims leased: at once, and each second for one lease. Otherwise does nothing. Must
   * not run beside a claim.
   *
   * @param mayBeSent returns what this worker has claimed knowingly
   */
  release(mayBeSent: () => NotificationKey[]): Promise<void>;
}

/**
 * Makes the record of a worker's lost claims. Nothing of such a claim was sent, so it need not wait for its lease to run
 * out.
 *
 * @param releaseUnknown releases what the worker has leased and does not know; returns how many it released
 */
export function createLostClaims(
  { env, log }: Pick<Services, "env" | "log">,
  releaseUnknown: (known: NotificationKey[]) => Promise<number>,
): LostClaims {
  let checkAt = Infinity;
  let checkUntil = -Infinity;

  return {
    claimFailed() {
      checkAt = -Infinity;
      checkUntil = performance.now() + env.DISPATCH_LEASE_S * 1000;
    },
    async release(mayBeSent) {
      if (performance.now() < checkAt) return;
      const released = await releaseUnknown(mayBeSent());
      if (released > 0) log.warn("released the messages of a lost claim", { messages: released });
      const next = performance.now() + RECHECK_MS;
      checkAt = next < checkUntil ? next : Infinity;
    },
  };
}
