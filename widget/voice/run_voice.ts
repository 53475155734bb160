import { type AgentSession, startAgentSession } from "./agent_session.ts";
import { createFeedbackForm, type FeedbackTexts } from "../shared/feedback_form.ts";
import { loadLibrary } from "./host_files.ts";
import { resumeInterruptedSound } from "./interrupted_sound.ts";
import { holdMicrophone, type Microphone, tolerateUnknownPermission } from "./microphone.ts";
import { joinPerson, type PersonSession } from "./person_session.ts";
import { problemOf } from "./problem.ts";
import type { Handoff, VoiceWidget } from "./schemas.ts";
import { createScreen } from "./screen.ts";
import { viewOf } from "./view.ts";
import { searchTool, type VoiceApi } from "./voice_api.ts";
import {
  type Effect,
  type EffectOf,
  INITIAL_STATE,
  next,
  type SessionIds,
  type VoiceEvent,
} from "./voice_state.ts";

export interface VoiceOptions {
  api: VoiceApi;
  widget: VoiceWidget;
  closable: boolean;
  /** A person was requested, and a room is open for them. */
  onHandoff: () => void;
  onClose: () => void;
}

export interface RunningVoice {
  element: HTMLElement;
  /** Ends the session or the handoff. The microphone is off afterwards. */
  hangUp(): void;
}

/** How long the page shows that the microphone has changed. */
const NOTE_MS = 10_000;

/** Runs a voice widget: shows its state, and carries out the effects that `voice_state.ts` decides on. */
export function runVoice({ api, widget, closable, onHandoff, onClose }: VoiceOptions): RunningVoice {
  const screen = createScreen({
    widget,
    closable,
    onAction: (type) => dispatch({ type }),
    onWrite: write,
    onClose,
  });
  let state = INITIAL_STATE;
  let closing = new AbortController();
  let agent: AgentSession | undefined;
  let person: PersonSession | undefined;
  let agentMicrophone: Microphone | undefined;
  let personMicrophone: Microphone | undefined;

  function dispatch(event: VoiceEvent): void {
    const { stage } = state;
    const step = next(state, event);
    state = step.state;
    if (state.stage !== stage) show();
    for (const effect of step.effects) run[effect.type](effect as never);
  }

  function show(): void {
    const { stage } = state;
    const isVoice = stage.name === "talking" && !stage.written;
    screen.show(viewOf(stage, widget), isVoice ? () => agent?.level() ?? 0 : undefined);
  }

  const run: { [Type in Effect["type"]]: (effect: EffectOf<Type>) => void } = {
    start_session: startSession,
    end_session() {
      agentMicrophone?.release();
      agent?.end().catch(() => {});
    },
    close_session() {
      agentMicrophone?.release();
      agent = undefined;
      closing.abort();
    },
    focus_composer: screen.focusComposer,
    request_feedback: requestFeedback,
    request_handoff: requestHandoff,
    decline_handoff: ({ session, handoff }) => endHandoff(session, handoff).catch(() => {}),
    enter_room: enterRoom,
    leave_room: () => person?.end(),
    mute: ({ muted }) => (person ?? agent)?.setMuted(muted),
  };

  /** Holds the microphone for a session, which `change` moves to another one. */
  function hold(change: (deviceId: string | undefined) => Promise<void> | undefined): Promise<Microphone> {
    return holdMicrophone({
      onLost: (problem) => dispatch({ type: "microphone_lost", problem }),
      async onChanged(deviceId) {
        await change(deviceId);
        dispatch({ type: "microphone_changed" });
        setTimeout(() => dispatch({ type: "microphone_noted" }), NOTE_MS);
      },
    });
  }

  async function startSession({ epoch, written }: EffectOf<"start_session">): Promise<void> {
    closing = new AbortController();
    const { signal } = closing;
    screen.transcript.clear();
    screen.setExtra(undefined);
    screen.transcript.readOut(written);
    let microphone: Microphone | undefined;
    try {
      // Before the API is called, so that a refused microphone costs no session.
      if (!written) microphone = await hold((deviceId) => agent?.changeMicrophone(deviceId));
      signal.throwIfAborted();
      agentMicrophone = microphone;
      const entry = await api.enter({ written });
      signal.throwIfAborted();
      agent = await startAgentSession({
        entry,
        written,
        signal,
        variables: { language: widget.language },
        tools: { search: searchTool(api, entry.session_token), handoff: offerHandoff },
        // A closed session may still send messages.
        onMessage: (line) => signal.aborted || screen.transcript.add(line),
        onCorrection: (correction) => signal.aborted || screen.transcript.correct(correction),
        onSpeaking: (speaking) => dispatch({ type: "speaking_changed", epoch, speaking }),
        onEnd: (how) => dispatch({ type: "session_ended", epoch, how }),
      });
      endInTime(entry.max_session_s, epoch, signal);
      const ids = { conversationId: agent.conversationId, sessionToken: entry.session_token };
      dispatch({ type: "session_started", epoch, ids });
    } catch (error) {
      microphone?.release();
      if (signal.aborted) return;
      dispatch({ type: "session_failed", epoch, problem: problemOf(error, "session_refused") });
    }
  }

  /** The platform does not know the company's limit, so the page hangs up. */
  function endInTime(maxSessionS: number | undefined, epoch: number, signal: AbortSignal): void {
    if (maxSessionS === undefined) return;
    const timer = setTimeout(() => dispatch({ type: "time_over", epoch }), maxSessionS * 1000);
    signal.addEventListener("abort", () => clearTimeout(timer));
  }

  function requestFeedback(
    { session: { conversationId, sessionToken } }: EffectOf<"request_feedback">,
  ): void {
    if (!widget.features.feedback) return;
    screen.setExtra(createFeedbackForm({
      texts: feedbackTexts(widget.texts),
      onSend: (feedback) => api.sendFeedback(sessionToken, { conversationId, ...feedback }),
      onDone(sent) {
        screen.setExtra(undefined);
        dispatch({ type: "feedback_done", sent });
      },
    }));
  }

  /** The agent's `handoff` tool. */
  function offerHandoff({ reason }: Record<string, unknown>): string {
    if (!widget.features.handoff) return "Handoffs are unavailable.";
    dispatch({ type: "handoff", reason: typeof reason === "string" ? reason : undefined });
    return "A person was requested.";
  }

  async function requestHandoff({ session, reason }: EffectOf<"request_handoff">): Promise<void> {
    let microphone: Microphone | undefined;
    try {
      microphone = await hold(() => person?.changeMicrophone());
      const { conversationId, sessionToken } = session;
      const handoff = await api.handOff(sessionToken, { conversationId, ...(reason && { reason }) });
      dispatch({ type: "handoff_opened", handoff, session });
      if (person === undefined) microphone.release();
      else personMicrophone = microphone;
    } catch (error) {
      microphone?.release();
      dispatch({ type: "handoff_failed", problem: problemOf(error, "handoff_unavailable") });
    }
  }

  function enterRoom({ handoff, session, muted }: EffectOf<"enter_room">): void {
    screen.setExtra(undefined);
    onHandoff();
    person = joinPerson({
      handoff,
      muted,
      reportEnd: () => endHandoff(session, handoff),
      onJoined: () => dispatch({ type: "person_joined" }),
      onInterrupted: (interrupted) => dispatch({ type: "person_interrupted", interrupted }),
      onSoundBlocked: (blocked) => dispatch({ type: "sound_blocked", blocked }),
      onEnd(problem) {
        person = undefined;
        personMicrophone?.release();
        dispatch({ type: "person_left", problem });
      },
    });
  }

  function endHandoff({ sessionToken }: SessionIds, { handoff_id }: Handoff): Promise<void> {
    return api.endHandoff(sessionToken, handoff_id);
  }

  function write(text: string): void {
    if (agent === undefined) return;
    screen.transcript.addWritten(text);
    agent.say(text);
  }

  const hangUp = () => dispatch({ type: "end" });
  addEventListener("offline", () => dispatch({ type: "offline" }));
  addEventListener("pagehide", hangUp);
  tolerateUnknownPermission();
  resumeInterruptedSound(globalThis);
  show();
  // Preloads, so that "start" is quick. Some browsers also play sound only if the library was loaded before the tap.
  loadLibrary("elevenlabs_client").catch(() => {});
  return { element: screen.element, hangUp };
}

function feedbackTexts(texts: Record<string, string>): FeedbackTexts {
  return {
    question: texts.feedback_question ?? "",
    comment: texts.feedback_comment ?? "",
    send: texts.feedback_send ?? "",
    skip: texts.feedback_skip ?? "",
    stars: texts.stars ?? "",
    failed: texts.session_refused ?? "",
  };
}
