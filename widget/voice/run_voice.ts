import { callPerson, type PersonCall } from "./call_person.ts";
import { createFeedbackForm } from "./feedback_form.ts";
import { hostFiles } from "./host_files.ts";
import { loadLibrary } from "./load_library.ts";
import { holdMicrophone } from "./microphone.ts";
import { type Problem, problemOf, VoiceProblem } from "./problem.ts";
import type { VoiceWidget } from "./schemas.ts";
import { createScreen } from "./screen.ts";
import { searchTool } from "./search_tool.ts";
import { startTalk, type Talk } from "./talk.ts";
import type { Action } from "./view.ts";
import { type State, viewOf } from "./view_of.ts";
import type { VoiceApi } from "./voice_api.ts";

export interface VoiceOptions {
  api: VoiceApi;
  widget: VoiceWidget;
  closable: boolean;
  onClose: () => void;
}

/** What is known of the last session: enough to rate it and to hand it over. */
interface KnownTalk {
  conversationId: string;
  sessionToken: string;
}

export interface RunningVoice {
  element: HTMLElement;
  /** Ends whatever is going on: the microphone is off after it. */
  hangUp(): void;
}

/** A voice widget at work: from "start" to hanging up, the questions after it, and the way to a person. */
export function runVoice({ api, widget, closable, onClose }: VoiceOptions): RunningVoice {
  const screen = createScreen({ widget, closable, onAction: act, onWrite: write, onClose });
  let state: State = { name: "idle" };
  let giveUp = new AbortController();
  let talk: Talk | undefined;
  let known: KnownTalk | undefined;
  let written = false;
  let call: PersonCall | undefined;
  let isCalling = false;
  let hangUps = 0;
  let timeLimit: ReturnType<typeof setTimeout> | undefined;
  let isTimeOver = false;

  function go(next: State): void {
    state = next;
    const isTalking = state.name === "talking" && !state.written;
    screen.show(viewOf(state, widget), isTalking ? () => talk?.level() ?? 0 : undefined);
  }

  async function start(): Promise<void> {
    giveUp = new AbortController();
    const { signal } = giveUp;
    screen.transcript.clear();
    screen.setExtra(undefined);
    screen.transcript.readOut(written);
    known = undefined;
    go({ name: "connecting" });
    let letGo = () => {};
    try {
      if (!written) letGo = await holdMicrophone();
      signal.throwIfAborted();
      const entry = await api.enter({ written });
      signal.throwIfAborted();
      const started = await startTalk({
        entry,
        written,
        signal,
        variables: { language: widget.language },
        tools: { search: searchTool(api, entry.session_token), handoff: askedForPerson },
        // One that was given up may still have something to say.
        onMessage: (line) => isCurrent(signal) && screen.transcript.add(line),
        onCorrection: (correction) => isCurrent(signal) && screen.transcript.correct(correction),
        onSpeaking: (speaking) => isCurrent(signal) && state.name === "talking" && go({ ...state, speaking }),
        onEnd: (how) => ended(how, signal),
      });
      talk = started;
      known = { conversationId: started.conversationId, sessionToken: entry.session_token };
      // It may have ended in the moment it began.
      if (signal.aborted) return stop(new VoiceProblem("connection_lost"));
      limitTime(entry.max_session_s);
      go({ name: "talking", written, speaking: false, muted: false });
      if (written) screen.focusComposer();
    } catch (error) {
      if (signal.aborted) return;
      stop(error);
    } finally {
      letGo();
    }
  }

  /** The platform does not know how long the company lets a session be. */
  function limitTime(maxSessionS: number | undefined): void {
    isTimeOver = false;
    if (maxSessionS === undefined) return;
    timeLimit = setTimeout(() => {
      isTimeOver = true;
      endTalk();
    }, maxSessionS * 1000);
  }

  function isCurrent(signal: AbortSignal): boolean {
    return signal === giveUp.signal && !signal.aborted;
  }

  function stop(error: unknown): void {
    go({ name: "stopped", problem: problemOf(error, "session_refused"), knowsTalk: known !== undefined });
  }

  /** The session is over, whoever ended it. A handoff that has begun goes on. */
  function ended(how: "ended" | "lost", signal: AbortSignal): void {
    if (signal !== giveUp.signal) return;
    clearTimeout(timeLimit);
    giveUp.abort();
    talk = undefined;
    if (state.name !== "talking") return;
    if (how === "lost") return stop(new VoiceProblem("connection_lost"));
    go({ name: "ended", knowsTalk: known !== undefined, timeOver: isTimeOver });
    askForFeedback();
  }

  function hangUp(): void {
    hangUps += 1;
    call?.end();
    if (state.name !== "connecting") return endTalk();
    giveUp.abort();
    go({ name: "idle" });
  }

  /** What then happens is told by `onEnd`; a session that cannot be ended properly is none any more. */
  function endTalk(): void {
    talk?.end().catch(() => {});
  }

  function askForFeedback(): void {
    const rated = known;
    if (!widget.features.feedback || rated === undefined) return;
    const { conversationId, sessionToken } = rated;
    screen.setExtra(createFeedbackForm({
      texts: widget.texts,
      onSend: (feedback) => api.sendFeedback(sessionToken, { conversationId, ...feedback }),
      onDone(sent) {
        screen.setExtra(undefined);
        if (state.name === "ended") go({ ...state, thanked: sent });
      },
    }));
  }

  /** The agent offers a person by its `handoff` tool. */
  function askedForPerson({ reason }: Record<string, unknown>): string {
    if (!widget.features.handoff) return "There is nobody to hand over to.";
    void handOver(typeof reason === "string" ? reason : undefined);
    return "A person is being called.";
  }

  async function handOver(reason?: string): Promise<void> {
    const from = known;
    if (from === undefined || call !== undefined || isCalling) return;
    isCalling = true;
    const before = hangUps;
    let letGo = () => {};
    try {
      letGo = await holdMicrophone();
      const { conversationId, sessionToken } = from;
      const handoff = await api.handOff(sessionToken, { conversationId, ...(reason && { reason }) });
      // Whoever has hung up meanwhile wants nobody any more.
      if (before !== hangUps) return void api.endHandoff(sessionToken, handoff.handoff_id).catch(() => {});
      const muted = state.name === "talking" && state.muted;
      call = callPerson({
        handoff,
        muted,
        tellEnd: () => api.endHandoff(sessionToken, handoff.handoff_id),
        onJoined: () => state.name === "handoff" && go({ ...state, joined: true }),
        onInterrupted: (interrupted) => state.name === "handoff" && go({ ...state, interrupted }),
        onEnd(problem) {
          call = undefined;
          go(problem ? { name: "stopped", problem, knowsTalk: true } : { name: "handoff_ended" });
        },
      });
      screen.setExtra(undefined);
      go({ name: "handoff", joined: false, muted });
      endTalk();
    } catch (error) {
      notHandedOver(problemOf(error, "handoff_unavailable"));
    } finally {
      letGo();
      isCalling = false;
    }
  }

  /** A person cannot be had; what the visitor was doing goes on. */
  function notHandedOver(problem: Problem): void {
    if (state.name === "talking") go({ ...state, problem });
    else go({ name: "stopped", problem, knowsTalk: true });
  }

  function setMuted(muted: boolean): void {
    if (state.name === "talking") talk?.setMuted(muted);
    if (state.name === "handoff") call?.setMuted(muted);
    if (state.name === "talking" || state.name === "handoff") go({ ...state, muted });
  }

  function act(action: Action): void {
    if (action === "write_instead") written = true;
    if (action === "start" || action === "handoff_back") written = false;
    if (["start", "again", "retry", "write_instead", "handoff_back"].includes(action)) void start();
    if (action === "end" || action === "handoff_end") hangUp();
    if (action === "mute" || action === "unmute") setMuted(action === "mute");
    if (action === "handoff") void handOver();
  }

  function write(text: string): void {
    if (talk === undefined) return;
    screen.transcript.addWritten(text);
    talk.say(text);
  }

  // A line that is down says nothing for minutes; the browser knows at once.
  addEventListener("offline", () => {
    if (state.name !== "talking") return;
    const { signal } = giveUp;
    endTalk();
    ended("lost", signal);
  });
  addEventListener("pagehide", hangUp);
  go(state);
  // Meanwhile, so that "start" is quick; some browsers also only play sound when the library was there at the tap.
  void Promise.all([hostFiles(), loadLibrary("elevenlabs_client")]).catch(() => {});
  return { element: screen.element, hangUp };
}
