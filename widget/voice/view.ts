import type { VoiceWidget } from "./schemas.ts";
import type { Action, Stage, StageOf } from "./voice_state.ts";

/** The mood of the orb: no session, connecting, the agent listening or speaking. */
export type OrbMood = "resting" | "connecting" | "listening" | "speaking";

/** The content of the screen. */
export interface View {
  /** The status line; empty for none. */
  status: string;
  /** The error message; empty for none. */
  problem: string;
  mood: OrbMood;
  /** In the order of the page, the most likely one first. */
  actions: Action[];
  /** Whether the visitor can write. */
  composer: boolean;
  /** Whether screen readers read the status out. They skip a status that only says who is speaking. */
  announce: boolean;
}

/** Returns the view of a stage. Every view says what is happening and offers an action. */
export function viewOf(stage: Stage, { texts, features }: VoiceWidget): View {
  const text = (name: string) => texts[name] ?? "";
  const handoff: Action[] = features.handoff ? ["handoff"] : [];
  const writing: Action[] = features.text_input ? ["write_instead"] : [];
  const base: View = {
    status: "",
    problem: "",
    mood: "resting",
    actions: [],
    composer: false,
    announce: true,
  };
  switch (stage.name) {
    case "idle":
      return { ...base, status: text("welcome"), actions: ["start", ...writing], announce: false };
    case "connecting":
      return { ...base, status: text("connecting"), mood: "connecting", actions: ["end"] };
    case "talking":
      return {
        ...base,
        status: talkingStatus(stage, text),
        problem: text(stage.microphone ?? stage.problem ?? ""),
        mood: stage.speaking ? "speaking" : "listening",
        actions: [
          ...(stage.written ? [] : [stage.muted ? "unmute" as const : "mute" as const]),
          ...handoff,
          "end",
        ],
        composer: stage.written || features.text_input,
        announce: false,
      };
    case "ended":
      return {
        ...base,
        status: text(stage.thanked ? "feedback_thanks" : stage.timeOver ? "time_over" : "ended"),
        actions: ["again", ...handoff],
      };
    case "stopped":
      return {
        ...base,
        problem: text(stage.problem),
        actions: [
          stage.problem === "handoff_unavailable" ? "handoff_back" : "retry",
          ...(stage.problem === "handoff_unavailable" ? [] : writing),
          ...(stage.hasSession ? handoff : []),
        ],
      };
    case "handoff":
      return {
        ...base,
        status: text(handoffStatus(stage)),
        problem: text(stage.microphone ?? (stage.soundBlocked ? "sound_blocked" : "")),
        mood: stage.joined && !stage.interrupted ? "listening" : "connecting",
        actions: [stage.muted ? "unmute" : "mute", "handoff_end"],
      };
    case "handoff_ended":
      return { ...base, status: text("handoff_ended"), actions: ["handoff_back", ...handoff] };
  }
}

function handoffStatus({ interrupted, muted, joined }: StageOf<"handoff">): string {
  if (interrupted) return "handoff_reconnecting";
  if (muted) return "muted";
  return joined ? "handoff_joined" : "handoff_waiting";
}

function talkingStatus(
  { written, speaking, muted }: StageOf<"talking">,
  text: (name: string) => string,
): string {
  if (written) return "";
  if (speaking) return text("speaking");
  return text(muted ? "muted" : "listening");
}
