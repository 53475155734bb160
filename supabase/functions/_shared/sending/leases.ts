import { describeError, type Log } from "../log.ts";
import type { Services } from "../services.ts";

type Clock = Pick<Services, "now">;

/**
 * Starts measuring; the returned function returns the milliseconds since, by the later of wall clock and monotonic clock:
 * the monotonic clock stops while a virtual machine is suspended, and the wall clock may be set back. A wall clock that is
 * set forward makes it too long, which only hands work back.
 */
export function startElapsed({ now }: Clock): () => number {
  const started = { monotonic: performance.now(), wall: now().getTime() };
  return () => Math.max(performance.now() - started.monotonic, now().getTime() - started.wall);
}

/**
 * Starts measuring a lease, before the claim is sent. The returned function returns whether half of it has passed: the
 * response came late, or the process was suspended, and another worker may hold the lease soon.
 */
export function startLease(clock: Clock, leaseS: number): () => boolean {
  const elapsedMs = startElapsed(clock);
  return () => elapsedMs() > leaseS * 1000 / 2;
}

/** The database may still execute a claim some time after its connection broke. */
const RECHECK_MS = 1000;

/** Claims whose response was lost. */
export interface LostClaims {
  /** Records that a claim failed: the database may have made it, now or in a moment. */
  claimFailed(): void;
  /** Returns the milliseconds until `release` has something to do; Infinity when no claim failed. */
  dueInMs(): number;
  /** Releases what failed claims leased: at once, and each second for one lease. Must not run beside a claim. */
  release(): Promise<void>;
  /** Releases a last time. A failure is logged: the leases run out. */
  releaseAtEnd(): Promise<void>;
}

/**
 * Makes the record of a worker's lost claims. Nothing of such a claim was sent, so it need not wait for its lease to run
 * out.
 *
 * @param queue names the queue in the log
 * @param releaseUnknown releases what the worker has leased and does not know; returns how many rows it released
 */
export function createLostClaims(
  log: Log,
  { queue, leaseS }: { queue: string; leaseS: number },
  releaseUnknown: () => Promise<number>,
): LostClaims {
  let checkAt = Infinity;
  let checkUntil = -Infinity;

  async function release(): Promise<void> {
    if (performance.now() < checkAt) return;
    const released = await releaseUnknown();
    if (released > 0) log.warn("released a lost claim", { queue, rows: released });
    const next = performance.now() + RECHECK_MS;
    checkAt = next < checkUntil ? next : Infinity;
  }

  return {
    claimFailed() {
      checkAt = -Infinity;
      checkUntil = performance.now() + leaseS * 1000;
    },
    dueInMs: () => Math.max(0, checkAt - performance.now()),
    release,
    releaseAtEnd: () =>
      release().catch((error) =>
        log.warn("a lost claim waits for its lease to run out", { queue, ...describeError(error) })
      ),
  };
}
