import { useEffect } from "preact/hooks";
import { liveState, useLive } from "./live.ts";
import { useThrottle } from "./throttle.ts";

/** Sums need not follow each event. */
const READ_MS = 20_000;

/** The history has what happened so long ago. */
const STORED_MS = 10_000;

/**
 * Reads a part of the history anew after the events that it counts, and once after it was first read, unless the page is
 * held still.
 */
export function useFollowHistory(reload: () => void): void {
  const readAgain = useThrottle(
    () => {
      if (liveState.peek() !== "paused") reload();
    },
    READ_MS,
    STORED_MS,
  );
  useLive("campaign", readAgain);
  useEffect(readAgain, []);
}
