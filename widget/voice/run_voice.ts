import { createFeedbackForm } from "./feedback_form.ts";
import { hostFiles } from "./host_files.ts";
import { loadLibrary } from "./load_library.ts";
import { holdMicrophone } from "./microphone.ts";
import { type Problem, problemOf, VoiceProblem } from "./problem.ts";
import { enterRoom, type Room } from "./room.ts";
import type { Handoff, VoiceWidget } from "./schemas.ts";
import { type Action, createScreen } from "./screen.ts";
import { startTalk, type Talk } from "./talk.ts";
import { type State, viewOf } from "./view_of.ts";
import type { VoiceApi } from "./voice_api.ts";

export interface VoiceOptions {
  api: VoiceApi;
  widget: VoiceWidget;
  closable: boolean;
  onClose: () => void;
}

/** How long a visitor waits for a person before we say that nobody comes. */
const HANDOFF_PATIENCE_MS = 5 * 60_000;

interface OpenHandoff {
  entry: Handoff;
  timer: number;
  /** Once it is entered. */
  room?: Room;
}

/** What is known of the last session: enough to rate it and to hand it over. */
interface KnownTalk {
  conversationId: string;
  sessionToken: string;
}

/**
 * A voice widget at work: from "start" to hanging up, the questions after it, and the way to a person. Answers the element
 * to show.
 */
export function runVoice({ api, widget, closable, onClose }: VoiceOptions): HTMLElement {
  const screen = createScreen({ widget, closable, onAction: act, onWrite: write, onClose });
  let state: State = { name: "idle" };
  let giveUp = new AbortController();
  let talk: Talk | undefined;
  let known: KnownTalk | undefined;
  let written = false;
  let handoff: OpenHandoff | undefined;
  let isCalling = false;

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
        tools: { search: ({ query }) => search(entry.session_token, query), handoff: askedForPerson },
        onMessage: (line) => screen.transcript.add(line),
        onCorrection: (correction) => screen.transcript.correct(correction),
        onSpeaking: (speaking) => state.name === "talking" && go({ ...state, speaking }),
        onEnd: (how) => ended(how, signal),
      });
      talk = started;
      known = { conversationId: started.conversationId, sessionToken: entry.session_token };
      // It may have ended in the moment it began.
      if (signal.aborted) return stop(new VoiceProblem("connection_lost"));
      go({ name: "talking", written, speaking: false, muted: false });
      if (written) screen.focusComposer();
    } catch (error) {
      if (signal.aborted) return;
      stop(error);
    } finally {
      letGo();
    }
  }

  function stop(error: unknown): void {
    go({ name: "stopped", problem: problemOf(error, "session_refused"), knowsTalk: known !== undefined });
  }

  /** The session is over, whoever ended it. A handoff that has begun goes on. */
  function ended(how: "ended" | "lost", signal: AbortSignal): void {
    if (signal !== giveUp.signal) return;
    giveUp.abort();
    talk = undefined;
    if (state.name !== "talking") return;
    if (how === "lost") return stop(new VoiceProblem("connection_lost"));
    go({ name: "ended", knowsTalk: known !== undefined });
    askForFeedback();
  }

  async function hangUp(): Promise<void> {
    if (state.name === "connecting") {
      giveUp.abort();
      return go({ name: "idle" });
    }
    await talk?.end();
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

  async function search(sessionToken: string, query: unknown): Promise<string> {
    const results = await api.search(sessionToken, String(query ?? "").slice(0, 500));
    if (results.length === 0) return "Nothing was found.";
    return results.map(({ title, text, url }) => [title, text, url].filter(Boolean).join("\n")).join("\n\n");
  }

  /** The agent offers a person by its `handoff` tool. */
  function askedForPerson({ reason }: Record<string, unknown>): string {
    if (!widget.features.handoff) return "There is nobody to hand over to.";
    void handOver(typeof reason === "string" ? reason : undefined);
    return "A person is being called.";
  }

  async function handOver(reason?: string): Promise<void> {
    const from = known;
    if (from === undefined || handoff !== undefined || isCalling) return;
    isCalling = true;
    let entry: Handoff;
    let letGo = () => {};
    try {
      letGo = await holdMicrophone();
      entry = await api.handOff(from.sessionToken, {
        conversationId: from.conversationId,
        ...(reason !== undefined && { reason }),
      });
    } catch (error) {
      letGo();
      return notHandedOver(problemOf(error, "handoff_unavailable"));
    } finally {
      isCalling = false;
    }
    const timer = setTimeout(() => endHandoff("handoff_unavailable"), HANDOFF_PATIENCE_MS);
    const mine: OpenHandoff = { entry, timer };
    handoff = mine;
    screen.setExtra(undefined);
    go({ name: "handoff", joined: false, muted: false });
    void talk?.end();
    try {
      const room = await enterRoom(entry, {
        onJoined: () => {
          clearTimeout(timer);
          if (state.name === "handoff") go({ ...state, joined: true });
        },
        onEnd: () => void endHandoff(),
      });
      if (handoff === mine) mine.room = room;
      else await room.leave();
    } catch (error) {
      if (handoff === mine) await endHandoff(problemOf(error, "handoff_unavailable"));
    } finally {
      letGo();
    }
  }

  /** A person cannot be had; what the visitor was doing goes on. */
  function notHandedOver(problem: Problem): void {
    if (state.name === "talking") go({ ...state, problem });
    else go({ name: "stopped", problem, knowsTalk: true });
  }

  async function endHandoff(problem?: Problem): Promise<void> {
    const over = handoff;
    if (over === undefined) return;
    handoff = undefined;
    clearTimeout(over.timer);
    go(problem ? { name: "stopped", problem, knowsTalk: true } : { name: "handoff_ended" });
    const ending = known && api.endHandoff(known.sessionToken, over.entry.handoff_id);
    await Promise.allSettled([ending, over.room?.leave()]);
  }

  function setMuted(muted: boolean): void {
    if (state.name === "talking") talk?.setMuted(muted);
    if (state.name === "handoff") handoff?.room?.setMuted(muted);
    if (state.name === "talking" || state.name === "handoff") go({ ...state, muted });
  }

  function act(action: Action): void {
    if (action === "write_instead") written = true;
    if (action === "start" || action === "handoff_back") written = false;
    if (["start", "again", "retry", "write_instead", "handoff_back"].includes(action)) void start();
    if (action === "end") void hangUp();
    if (action === "mute" || action === "unmute") setMuted(action === "mute");
    if (action === "handoff") void handOver();
    if (action === "handoff_end") void endHandoff();
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
    void talk?.end().catch(() => {});
    ended("lost", signal);
  });
  addEventListener("pagehide", () => {
    void talk?.end().catch(() => {});
    void endHandoff();
  });
  go(state);
  // Meanwhile, so that "start" is quick; some browsers also only play sound when the library was there at the tap.
  void Promise.all([hostFiles(), loadLibrary("elevenlabs_client")]).catch(() => {});
  return screen.element;
}
