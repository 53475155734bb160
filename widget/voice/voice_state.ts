import type { Problem } from "./problem.ts";
import type { Handoff } from "./schemas.ts";

/** The visitor's actions, named after the texts on the buttons. */
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

/** The stage of a visit, which the screen shows. `problem` is the last one that occurred. */
export type Stage =
  | { name: "idle" }
  /** `hasEnded`: the session ended before it was reported as started. */
  | { name: "connecting"; hasEnded?: boolean }
  | {
    name: "talking";
    written: boolean;
    speaking: boolean;
    muted: boolean;
    problem?: Problem;
    timeOver?: boolean;
    microphone?: MicrophoneNews;
  }
  | { name: "ended"; thanked?: boolean; timeOver?: boolean }
  | { name: "stopped"; problem: Problem; hasSession: boolean }
  | {
    name: "handoff";
    joined: boolean;
    muted: boolean;
    interrupted?: boolean;
    microphone?: MicrophoneNews;
    /** The browser plays no sound before the visitor presses something. */
    soundBlocked?: boolean;
  }
  | { name: "handoff_ended" };

/** News of the microphone during a session, named after their texts. */
export type MicrophoneNews = Problem | "microphone_changed" | undefined;

export type StageOf<Name extends Stage["name"]> = Extract<Stage, { name: Name }>;

/** A session with the agent, as the API needs it for a rating or a handoff. */
export interface SessionIds {
  conversationId: string;
  sessionToken: string;
}

export interface VoiceState {
  stage: Stage;
  /** Whether the visitor writes instead of talking; `again` and `retry` keep it. */
  written: boolean;
  /** Counts sessions. Events of an earlier session are ignored. */
  epoch: number;
  /** The last session that started. */
  lastSession: SessionIds | undefined;
  /** `cancelled`: the visitor hung up before the API responded. */
  handoff: "none" | "requested" | "cancelled" | "open";
}

export type VoiceEvent =
  | { type: Exclude<Action, "handoff"> | "offline" | "person_joined" }
  /** `reason`: the agent's, if it offers a person. */
  | { type: "handoff"; reason?: string | undefined }
  | { type: "session_started"; epoch: number; ids: SessionIds }
  | { type: "session_failed"; epoch: number; problem: Problem }
  /** `lost`: neither side hung up. */
  | { type: "session_ended"; epoch: number; how: "ended" | "lost" }
  | { type: "speaking_changed"; epoch: number; speaking: boolean }
  | { type: "time_over"; epoch: number }
  | { type: "handoff_opened"; handoff: Handoff; session: SessionIds }
  | { type: "handoff_failed"; problem: Problem }
  | { type: "person_interrupted"; interrupted: boolean }
  | { type: "microphone_lost"; problem: Problem }
  /** `noted`: the visitor has had time to read it. */
  | { type: "microphone_changed" | "microphone_noted" }
  | { type: "sound_blocked"; blocked: boolean }
  | { type: "person_left"; problem: Problem | undefined }
  | { type: "feedback_done"; sent: boolean };

export type Effect =
  | { type: "start_session"; epoch: number; written: boolean }
  /** Hangs up. The end is reported by `session_ended`. */
  | { type: "end_session" }
  /** Stops listening to the session, or to its start. */
  | { type: "close_session" }
  | { type: "focus_composer" }
  | { type: "request_feedback"; session: SessionIds }
  | { type: "request_handoff"; session: SessionIds; reason: string | undefined }
  | { type: "decline_handoff"; handoff: Handoff; session: SessionIds }
  | { type: "enter_room"; handoff: Handoff; session: SessionIds; muted: boolean }
  | { type: "leave_room" }
  /** Mutes the session or the room, whichever is open. */
  | { type: "mute"; muted: boolean };

export type EffectOf<Type extends Effect["type"]> = Extract<Effect, { type: Type }>;

export interface Step {
  state: VoiceState;
  /** To be run in this order, after the new state is shown. */
  effects: Effect[];
}

export const INITIAL_STATE: VoiceState = {
  stage: { name: "idle" },
  written: false,
  epoch: 0,
  lastSession: undefined,
  handoff: "none",
};

const END: Effect = { type: "end_session" };
const CLOSE: Effect = { type: "close_session" };

/** Returns the state after an event, and what has to be done. Pure: `run_voice.ts` runs the effects. */
export function next(state: VoiceState, event: VoiceEvent): Step {
  if ("epoch" in event && event.epoch !== state.epoch) return to(state);
  switch (event.type) {
    case "start":
    case "handoff_back":
      return start(state, false);
    case "write_instead":
      return start(state, true);
    case "again":
    case "retry":
      return start(state, state.written);
    case "mute":
    case "unmute":
      return mute(state, event.type === "mute");
    case "end":
    case "handoff_end":
      return hangUp(state);
    case "offline":
      // A broken connection may stay silent for minutes, but the browser knows at once.
      return state.stage.name === "talking" ? to(stopped(state, "connection_lost"), END, CLOSE) : to(state);
    case "session_started":
      return sessionStarted({ ...state, lastSession: event.ids });
    case "session_failed":
      return to(state.stage.name === "connecting" ? stopped(state, event.problem) : state);
    case "session_ended":
      return sessionEnded(state, event.how);
    case "speaking_changed":
      return to(update(state, "talking", { speaking: event.speaking }));
    case "time_over":
      return to(update(state, "talking", { timeOver: true }), END);
    case "handoff":
      return requestHandoff(state, event.reason);
    case "handoff_opened":
      return handoffOpened(state, event);
    case "handoff_failed":
      return to(handoffFailed({ ...state, handoff: "none" }, event.problem));
    case "person_joined":
      return to(update(state, "handoff", { joined: true }));
    case "person_interrupted":
      return to(update(state, "handoff", { interrupted: event.interrupted }));
    case "microphone_lost":
      return to(withMicrophone(state, event.problem));
    case "microphone_changed":
      return to(withMicrophone(state, event.type));
    case "microphone_noted":
      return to(withoutNews(state));
    case "sound_blocked":
      return to(update(state, "handoff", { soundBlocked: event.blocked }));
    case "person_left":
      return to({
        ...(event.problem ? stopped(state, event.problem) : at(state, { name: "handoff_ended" })),
        handoff: "none",
      });
    case "feedback_done":
      return to(update(state, "ended", { thanked: event.sent }));
  }
}

function to(state: VoiceState, ...effects: Effect[]): Step {
  return { state, effects };
}

function at(state: VoiceState, stage: Stage): VoiceState {
  return { ...state, stage };
}

/** Changes the stage if it has this name. */
function update<Name extends Stage["name"]>(
  state: VoiceState,
  name: Name,
  part: Partial<StageOf<Name>>,
): VoiceState {
  return state.stage.name === name ? at(state, { ...state.stage, ...part } as Stage) : state;
}

function withMicrophone(state: VoiceState, microphone: MicrophoneNews): VoiceState {
  return update(update(state, "talking", { microphone }), "handoff", { microphone });
}

/** Takes the change of a microphone away, not a loss. */
function withoutNews(state: VoiceState): VoiceState {
  const { stage } = state;
  const isOld = "microphone" in stage && stage.microphone === "microphone_changed";
  return isOld ? withMicrophone(state, undefined) : state;
}

function stopped(state: VoiceState, problem: Problem): VoiceState {
  return at(state, { name: "stopped", problem, hasSession: state.lastSession !== undefined });
}

function start(state: VoiceState, written: boolean): Step {
  const epoch = state.epoch + 1;
  return to(
    { ...state, stage: { name: "connecting" }, written, epoch, lastSession: undefined },
    { type: "start_session", epoch, written },
  );
}

function sessionStarted(state: VoiceState): Step {
  const { stage, written } = state;
  if (stage.name !== "connecting") return to(state, END);
  if (stage.hasEnded) return to(stopped(state, "connection_lost"), CLOSE);
  const talking = at(state, { name: "talking", written, speaking: false, muted: false });
  return written ? to(talking, { type: "focus_composer" }) : to(talking);
}

function sessionEnded(state: VoiceState, how: "ended" | "lost"): Step {
  const { stage, lastSession: session } = state;
  if (stage.name === "connecting") return to(at(state, { ...stage, hasEnded: true }));
  if (stage.name !== "talking") return to(state, CLOSE);
  if (how === "lost" || !session) return to(stopped(state, "connection_lost"), CLOSE);
  return to(
    at(state, { name: "ended", timeOver: stage.timeOver === true }),
    CLOSE,
    { type: "request_feedback", session },
  );
}

function hangUp(state: VoiceState): Step {
  const hungUp = state.handoff === "requested" ? { ...state, handoff: "cancelled" as const } : state;
  switch (state.stage.name) {
    case "connecting":
      return to(at(hungUp, { name: "idle" }), CLOSE);
    case "talking":
      return to(hungUp, END);
    case "handoff":
      return to(hungUp, { type: "leave_room" });
    default:
      return to(hungUp);
  }
}

function mute(state: VoiceState, muted: boolean): Step {
  const changed = withoutNews(update(update(state, "talking", { muted }), "handoff", { muted }));
  return to(changed, { type: "mute", muted });
}

function requestHandoff(state: VoiceState, reason: string | undefined): Step {
  const { lastSession: session, handoff } = state;
  if (session === undefined || handoff !== "none") return to(state);
  return to({ ...state, handoff: "requested" }, { type: "request_handoff", session, reason });
}

function handoffOpened(
  state: VoiceState,
  { handoff, session }: { handoff: Handoff; session: SessionIds },
): Step {
  const { stage } = state;
  if (state.handoff === "cancelled") {
    return to({ ...state, handoff: "none" }, { type: "decline_handoff", handoff, session });
  }
  const muted = stage.name === "talking" && stage.muted;
  return to(
    { ...state, stage: { name: "handoff", joined: false, muted }, handoff: "open" },
    { type: "enter_room", handoff, session, muted },
    stage.name === "connecting" ? CLOSE : END,
  );
}

/** The visitor goes on with the session, or with starting one. */
function handoffFailed(state: VoiceState, problem: Problem): VoiceState {
  const { name } = state.stage;
  if (name === "connecting") return state;
  return name === "talking" ? update(state, name, { problem }) : stopped(state, problem);
}
