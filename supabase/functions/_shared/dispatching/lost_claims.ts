import { type NotificationKey, releaseClaimed } from "../db/dispatch_queue.ts";
import type { Services } from "../services.ts";

/** A claim that the database still has under way when the connection breaks may be made some time after. */
const LOOK_AGAIN_MS = 1000;

export interface LostClaims {
  /** A claim failed: the database may have made it, now or in a moment. */
  claimFailed(): void;
  /**
   * Hands back what such a claim got, once for certain and for one lease again each second; otherwise does nothing. Must
   * not run beside a claim.
   */
  release(mayBeSent: () => NotificationKey[]): Promise<void>;
}

/** Hands back what `worker` claimed without hearing of it: nothing of it was sent, and it need not wait for its lease. */
export function createLostClaims({ env, log, sql }: Services, worker: string): LostClaims {
  let lookAt = Infinity;
  let lookUntil = -Infinity;

  return {
    claimFailed() {
      lookAt = -Infinity;
      lookUntil = performance.now() + env.DISPATCH_LEASE_S * 1000;
    },
    async release(mayBeSent) {
      if (performance.now() < lookAt) return;
      const released = await releaseClaimed(sql, { worker, held: mayBeSent() });
      if (released > 0) log.warn("handed back what a lost claim got", { notifications: released });
      const next = performance.now() + LOOK_AGAIN_MS;
      lookAt = next < lookUntil ? next : Infinity;
    },
  };
}
