import { type Problem, problemOf } from "./problem.ts";
import { enterRoom, type Room } from "./room.ts";
import type { Handoff } from "./schemas.ts";

/** A talk with a person, from waiting for one to its end. */
export interface PersonCall {
  setMuted(muted: boolean): void;
  /** Ends it for both; a second time changes nothing. */
  end(problem?: Problem): void;
}

export interface PersonCallOptions {
  handoff: Handoff;
  /** Whoever was silent stays silent until they say otherwise. */
  muted: boolean;
  /** Tells the server that it is over. */
  tellEnd: () => Promise<void>;
  onJoined: () => void;
  /** Called once; without a problem when one of the two has left. */
  onEnd: (problem: Problem | undefined) => void;
}

/** How long a visitor waits before we say that nobody comes. */
const PATIENCE_MS = 5 * 60_000;

/** Waits for a person in the room of a handoff, and lets the two talk. */
export function callPerson({ handoff, muted, tellEnd, onJoined, onEnd }: PersonCallOptions): PersonCall {
  let isMuted = muted;
  let isOver = false;
  let room: Room | undefined;
  const timer = setTimeout(() => end("handoff_unavailable"), PATIENCE_MS);

  function end(problem?: Problem): void {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    void Promise.allSettled([tellEnd(), room?.leave()]);
    onEnd(problem);
  }

  async function enter(): Promise<void> {
    const entered = await enterRoom(handoff, {
      isMuted: () => isMuted,
      onJoined() {
        clearTimeout(timer);
        if (!isOver) onJoined();
      },
      onEnd: () => end(),
    });
    room = entered;
    if (isOver) await entered.leave();
  }

  enter().catch((error) => end(problemOf(error, "handoff_unavailable")));
  return {
    setMuted(value) {
      isMuted = value;
      room?.setMuted(value);
    },
    end,
  };
}
