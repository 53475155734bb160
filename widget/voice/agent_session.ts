import type { Conversation } from "@elevenlabs/client";
import { hostFiles, loadLibrary } from "./host_files.ts";
import { VoiceProblem } from "./problem.ts";
import type { Entry } from "./schemas.ts";

/** One session with the agent. */
export interface AgentSession {
  conversationId: string;
  say(text: string): void;
  setMuted(muted: boolean): void;
  /** Goes on with another microphone. */
  changeMicrophone(deviceId: string | undefined): Promise<void>;
  /** Returns the current volume, 0 to 1: the agent's while it speaks, otherwise the visitor's. */
  level(): number;
  end(): Promise<void>;
}

export interface AgentSessionOptions {
  entry: Entry;
  /** Without sound and microphone. */
  written: boolean;
  variables: Record<string, string>;
  tools: Record<string, (parameters: Record<string, unknown>) => Promise<string> | string>;
  /** Cancels the start; a session that starts nevertheless is ended. */
  signal: AbortSignal;
  onMessage: (message: { role: "user" | "agent"; text: string; eventId: number | undefined }) => void;
  onCorrection: (correction: { text: string; eventId: number }) => void;
  onSpeaking: (speaking: boolean) => void;
  /** Called once: `lost` when neither side hung up. */
  onEnd: (how: "ended" | "lost") => void;
}

/** The time until the first frame. The client would wait forever for a platform that refuses in silence. */
const START_TIMEOUT_MS = 20_000;

/**
 * Starts a session. Resolves once it is connected.
 *
 * @throws {VoiceProblem} `session_refused`; errors of the microphone as the browser throws them
 */
export async function startAgentSession(options: AgentSessionOptions): Promise<AgentSession> {
  const { signal, written } = options;
  const [{ Conversation }, files] = await Promise.all([loadLibrary("elevenlabs_client"), hostFiles()]);
  signal.throwIfAborted();
  let speaking = false;
  const starting = Conversation.startSession({
    ...entryOptions(options.entry),
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
    // Errors that end the session come through onDisconnect; the others are the platform's own.
    onError: () => {},
  });
  const session = await connectedInTime(starting, signal);
  return {
    conversationId: session.getId(),
    say: (text) => session.sendUserMessage(text),
    setMuted: (muted) => written || session.setMicMuted(muted),
    async changeMicrophone(inputDeviceId) {
      if (!("changeInputDevice" in session)) return;
      await session.changeInputDevice(inputDeviceId === undefined ? {} : { inputDeviceId });
    },
    level: () => written ? 0 : speaking ? session.getOutputVolume() : session.getInputVolume(),
    end: () => session.endSession(),
  };
}

function entryOptions({ signed_url, conversation_token }: Entry) {
  if (signed_url !== undefined) return { signedUrl: signed_url, connectionType: "websocket" as const };
  if (conversation_token === undefined) throw new VoiceProblem("session_refused");
  return { conversationToken: conversation_token, connectionType: "webrtc" as const };
}

async function connectedInTime(
  starting: ReturnType<typeof Conversation.startSession>,
  signal: AbortSignal,
): ReturnType<typeof Conversation.startSession> {
  const signals = [signal, AbortSignal.timeout(START_TIMEOUT_MS)];
  let cancel = () => {};
  const failure = new Promise<never>((_, reject) => {
    cancel = () =>
      reject(new VoiceProblem("session_refused", signals.find(({ aborted }) => aborted)?.reason));
  });
  for (const each of signals) each.addEventListener("abort", cancel, { once: true });
  try {
    return await Promise.race([starting, failure]);
  } catch (error) {
    // It may still start.
    starting.then((late) => late.endSession(), () => {});
    throw error;
  } finally {
    for (const each of signals) each.removeEventListener("abort", cancel);
  }
}
