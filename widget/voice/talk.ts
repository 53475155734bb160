import type { Conversation } from "@elevenlabs/client";
import { hostFiles } from "./host_files.ts";
import { loadLibrary } from "./load_library.ts";
import { VoiceProblem } from "./problem.ts";
import type { Entry } from "./schemas.ts";

/** One session with the agent. */
export interface Talk {
  conversationId: string;
  say(text: string): void;
  setMuted(muted: boolean): void;
  /** How loud it is now, 0 to 1: the agent while it speaks, otherwise the visitor. */
  level(): number;
  end(): Promise<void>;
}

export interface TalkOptions {
  entry: Entry;
  /** Without sound and microphone. */
  written: boolean;
  variables: Record<string, string>;
  tools: Record<string, (parameters: Record<string, unknown>) => Promise<string> | string>;
  /** Gives up; a session that comes all the same is ended. */
  signal: AbortSignal;
  onMessage: (message: { role: "user" | "agent"; text: string; eventId: number | undefined }) => void;
  onCorrection: (correction: { text: string; eventId: number }) => void;
  onSpeaking: (speaking: boolean) => void;
  /** Called once: `lost` when neither side hung up. */
  onEnd: (how: "ended" | "lost") => void;
}

/** From asking to the first frame. Some refusals are never said: the client would wait for ever. */
const PATIENCE_MS = 20_000;

/**
 * Starts a session and answers once it is connected.
 *
 * @throws {VoiceProblem} `session_refused`; errors of the microphone as the browser throws them
 */
export async function startTalk(options: TalkOptions): Promise<Talk> {
  const { signal, written } = options;
  const [{ Conversation }, files] = await Promise.all([loadLibrary("elevenlabs_client"), hostFiles()]);
  signal.throwIfAborted();
  let speaking = false;
  const starting = Conversation.startSession({
    ...entrance(options.entry),
    textOnly: written,
    dynamicVariables: options.variables,
    clientTools: options.tools,
    workletPaths: {
      rawAudioProcessor: files.elevenlabs_raw_audio_worklet?.url ?? "",
      audioConcatProcessor: files.elevenlabs_concat_worklet?.url ?? "",
    },
    libsampleratePath: files.libsamplerate_worklet?.url ?? "",
    onMessage: ({ role, message, event_id }) => options.onMessage({ role, text: message, eventId: event_id }),
    onAgentResponseCorrection: ({ corrected_agent_response: text, event_id: eventId }) =>
      options.onCorrection({ text, eventId }),
    onModeChange: ({ mode }) => {
      speaking = mode === "speaking";
      options.onSpeaking(speaking);
    },
    onDisconnect: ({ reason }) => options.onEnd(reason === "error" ? "lost" : "ended"),
    // What ends a session comes through onDisconnect; the rest is between the agent and its platform.
    onError: () => {},
  });
  const session = await withinPatience(starting, signal);
  return {
    conversationId: session.getId(),
    say: (text) => session.sendUserMessage(text),
    setMuted: (muted) => written || session.setMicMuted(muted),
    level: () => written ? 0 : speaking ? session.getOutputVolume() : session.getInputVolume(),
    end: () => session.endSession(),
  };
}

function entrance({ signed_url, conversation_token }: Entry) {
  if (signed_url !== undefined) return { signedUrl: signed_url, connectionType: "websocket" as const };
  if (conversation_token === undefined) throw new VoiceProblem("session_refused");
  return { conversationToken: conversation_token, connectionType: "webrtc" as const };
}

async function withinPatience(
  starting: ReturnType<typeof Conversation.startSession>,
  signal: AbortSignal,
): ReturnType<typeof Conversation.startSession> {
  const given = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
  const { promise: givenUp, reject } = Promise.withResolvers<never>();
  const giveUp = () => reject(new VoiceProblem("session_refused", given.reason));
  given.addEventListener("abort", giveUp, { once: true });
  try {
    return await Promise.race([starting, givenUp]);
  } catch (error) {
    // It may still come, now that nobody waits for it.
    starting.then((late) => late.endSession(), () => {});
    throw error;
  } finally {
    given.removeEventListener("abort", giveUp);
  }
}
