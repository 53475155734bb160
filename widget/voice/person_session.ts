import { type Problem, problemOf } from "./problem.ts";
import { enterRoom, type Room } from "./room.ts";
import type { Handoff } from "./schemas.ts";

/** The visitor's side of a handoff, from waiting for a person to its end. */
export interface PersonSession {
  setMuted(muted: boolean): void;
  /** Goes on with another microphone. */
  changeMicrophone(): Promise<void>;
  /** Ends it for both sides. Later calls do nothing. */
  end(problem?: Problem): void;
}

export interface PersonSessionOptions {
  handoff: Handoff;
  /** A visitor who was muted stays muted. */
  muted: boolean;
  /** Reports the end to the server. */
  reportEnd: () => Promise<void>;
  onJoined: () => void;
  /** The connection is interrupted, or restored. */
  onInterrupted: (interrupted: boolean) => void;
  /** The browser plays no sound before the visitor presses something, or plays it now. */
  onSoundBlocked: (blocked: boolean) => void;
  /** Called once; without a problem when one side has left. */
  onEnd: (problem: Problem | undefined) => void;
}

/** How long a visitor waits for a person. */
const MAX_WAIT_MS = 5 * 60_000;

/** How long a connection may be interrupted before the handoff ends. */
const MAX_INTERRUPTION_MS = 30_000;

/** Enters the room of a handoff, waits for a person there and connects the two. */
export function joinPerson(options: PersonSessionOptions): PersonSession {
  const { handoff, muted, reportEnd, onJoined, onInterrupted, onSoundBlocked, onEnd } = options;
  let isMuted = muted;
  let isOver = false;
  let room: Room | undefined;
  const timer = setTimeout(() => end("handoff_unavailable"), MAX_WAIT_MS);
  let interruption: ReturnType<typeof setTimeout> | undefined;

  function end(problem?: Problem): void {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    clearTimeout(interruption);
    void Promise.allSettled([reportEnd(), room?.leave()]);
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
      onSoundBlocked,
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
    changeMicrophone: async () => await room?.changeMicrophone(),
    end,
  };
}
