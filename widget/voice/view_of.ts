import type { Problem } from "./problem.ts";
import type { VoiceWidget } from "./schemas.ts";
import type { Action, View } from "./view.ts";

/** Where a visitor is. `problem` is what went wrong on the way there. */
export type State =
  | { name: "idle" }
  | { name: "connecting" }
  | { name: "talking"; written: boolean; speaking: boolean; muted: boolean; problem?: Problem }
  | { name: "ended"; knowsTalk: boolean; thanked?: boolean; timeOver?: boolean }
  | { name: "stopped"; problem: Problem; knowsTalk: boolean }
  | { name: "handoff"; joined: boolean; muted: boolean; interrupted?: boolean }
  | { name: "handoff_ended" };

/** What is shown in a state: always what is going on, and always a way on. */
export function viewOf(state: State, { texts, features }: VoiceWidget): View {
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
  switch (state.name) {
    case "idle":
      return { ...base, status: text("welcome"), actions: ["start", ...writing], announce: false };
    case "connecting":
      return { ...base, status: text("connecting"), mood: "connecting", actions: ["end"] };
    case "talking":
      return {
        ...base,
        status: talkStatus(state, text),
        problem: state.problem ? text(state.problem) : "",
        mood: state.speaking ? "speaking" : "listening",
        actions: [
          ...(state.written ? [] : [state.muted ? "unmute" as const : "mute" as const]),
          ...handoff,
          "end",
        ],
        composer: state.written || features.text_input,
        announce: false,
      };
    case "ended":
      return {
        ...base,
        status: text(state.thanked ? "feedback_thanks" : state.timeOver ? "time_over" : "ended"),
        actions: ["again", ...(state.knowsTalk ? handoff : [])],
      };
    case "stopped":
      return {
        ...base,
        problem: text(state.problem),
        actions: [
          state.problem === "handoff_unavailable" ? "handoff_back" : "retry",
          ...(state.problem === "handoff_unavailable" ? [] : writing),
          ...(state.knowsTalk ? handoff : []),
        ],
      };
    case "handoff":
      return {
        ...base,
        status: text(handoffStatus(state)),
        mood: state.joined && !state.interrupted ? "listening" : "connecting",
        actions: [state.muted ? "unmute" : "mute", "handoff_end"],
      };
    case "handoff_ended":
      return { ...base, status: text("handoff_ended"), actions: ["handoff_back", ...handoff] };
  }
}

function handoffStatus({ interrupted, muted, joined }: Extract<State, { name: "handoff" }>): string {
  if (interrupted) return "handoff_reconnecting";
  if (muted) return "muted";
  return joined ? "handoff_joined" : "handoff_waiting";
}

function talkStatus(
  { written, speaking, muted }: Extract<State, { name: "talking" }>,
  text: (name: string) => string,
): string {
  if (written) return "";
  if (speaking) return text("speaking");
  return text(muted ? "muted" : "listening");
}
