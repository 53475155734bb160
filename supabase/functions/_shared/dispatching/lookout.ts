import type { Sql } from "../db/driver/connect.ts";
import { lookAhead, type OpenChore } from "../db/queue/dispatch_queue.ts";

/** Checks in the database what a dispatcher has to do: while it is idle, one query four times per second. */
export interface Lookout {
  /** Looks, and returns the milliseconds until a message is due; Infinity when none waits. */
  untilDue(): Promise<number>;
  /** Returns the chores that have something to do, as a look a moment ago found them; else looks. */
  openChores(): Promise<OpenChore[]>;
}

/** Every other look of an idle dispatcher leaves the chores out, and most looks of a busy one. */
const CHORES_MS = 450;
/** More than the time between two looks of an idle dispatcher with the chores. */
const MAX_AGE_MS = 750;

/**
 * Makes the lookout that a dispatcher's worker and its chores share.
 *
 * @param now milliseconds of a clock that never goes back
 */
export function createLookout(sql: Sql, now: () => number = () => performance.now()): Lookout {
  let open: OpenChore[] = [];
  let seenAt = -Infinity;

  async function untilDue(): Promise<number> {
    const askedAt = now();
    const { ms, chores } = await lookAhead(sql, { withChores: askedAt - seenAt >= CHORES_MS });
    if (chores !== null) [open, seenAt] = [chores, askedAt];
    return ms ?? Infinity;
  }

  return {
    untilDue,
    async openChores() {
      if (now() - seenAt >= MAX_AGE_MS) await untilDue();
      return open;
    },
  };
}
