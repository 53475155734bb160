/** What the orb shows: nothing going on, waiting, the agent listening or speaking. */
export type OrbMood = "resting" | "connecting" | "listening" | "speaking";

/** What a visitor can do, by the names of the texts on the buttons. */
export type Action =
  | "start"
  | "again"
  | "retry"
  | "write_instead"
  | "handoff"
  | "handoff_back"
  | "mute"
  | "unmute"
  | "end"
  | "handoff_end";

/** What the screen shows at a time. */
export interface View {
  /** Its status line; empty for none. */
  status: string;
  /** What has gone wrong; empty for nothing. */
  problem: string;
  mood: OrbMood;
  /** In the order of the page; the first one is the most likely. */
  actions: Action[];
  /** Whether there is something to write to. */
  composer: boolean;
  /** Whether the status is read out: what only tells who is speaking is not. */
  announce: boolean;
}
