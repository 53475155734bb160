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
  /** The connection has broken and is being made again, or is back. */
  onInterrupted: (interrupted: boolean) => void;
  /** Called once; without a problem when one of the two has left. */
  onEnd: (problem: Problem | undefined) => void;
}

/** How long a visitor waits before we say that nobody comes. */
const PATIENCE_MS = 5 * 60_000;

/** How long a connection may be broken before the talk is over. */
const MAX_INTERRUPTION_MS = 30_000;

/** Waits for a person in the room of a handoff, and lets the two talk. */
export function callPerson(options: PersonCallOptions): PersonCall {
  const { handoff, muted, tellEnd, onJoined, onInterrupted, onEnd } = options;
  let isMuted = muted;
  let isOver = false;
  let room: Room | undefined;
  const timer = setTimeout(() => end("handoff_unavailable"), PATIENCE_MS);
  let interruption: ReturnType<typeof setTimeout> | undefined;

  function end(problem?: Problem): void {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    clearTimeout(interruption);
    void Promise.allSettled([tellEnd(), room?.leave()]);
    onEnd(problem);
  }

  function interrupt(interrupted: boolean): void {
    if (isOver) return;
    clearTimeout(interruption);
    if (interrupted) interruption = setTimeout(() => end("connection_lost"), MAX_INTERRUPTION_MS);
    onInterrupted(interrupted);
  }

  async function enter(): Promise<void> {
    const entered = await enterRoom(handoff, {
      isMuted: () => isMuted,
      onJoined() {
        clearTimeout(timer);
        if (!isOver) onJoined();
      },
      onInterrupted: interrupt,
      onEnd: (how) => end(how === "lost" ? "connection_lost" : undefined),
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
