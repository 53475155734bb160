import { fillVariables, missingReason, missingVariables } from "../voice/conversations/fill_variables.ts";
import { type ClientFrame, clientFrameSchema, type Initiation, initiationSchema } from "./client_frame.ts";
import { CHUNK_MS, RECOGNISED, replyTo, SAMPLE_RATE, speechFrames } from "./session_agent.ts";
import type { SessionFault } from "./session_fault.ts";
import { type SessionRecord } from "./session_record.ts";
import type { VoiceSessions } from "./voice_sessions.ts";

/** The socket as a conversation uses it. */
export interface ConversationSocket {
  send(text: string): void;
  close(code: number, reason: string): void;
  /** Cuts the connection without a close frame. */
  terminate(): void;
}

/** The time a client has to close the connection after the agent hung up. */
const HANG_UP_MS = 2000;

/**
 * One browser session: the metadata first, then the agent's sentences, with their sound in real time so that it can be
 * interrupted, until either side hangs up. Wire facts: the platform's WebSocket protocol, `@elevenlabs/types`.
 */
export class Conversation {
  #begun = false;
  /** Whether the metadata was sent: a client that gets anything before it waits forever. */
  #isOpen = false;
  #over = false;
  #eventId = 0;
  #pings = 0;
  #listenedMs = 0;
  #sentences = 0;
  #unsaid: string[] = [];
  #speaking: ReturnType<typeof setInterval> | undefined;
  readonly #timers = new Set<ReturnType<typeof setTimeout>>();

  constructor(
    private readonly sessions: VoiceSessions,
    private readonly record: SessionRecord,
    private readonly firstMessage: string,
    private readonly socket: ConversationSocket,
    private readonly fault: SessionFault | undefined,
  ) {}

  /** Receives one text frame. A frame that is not JSON, or a first one that is not the initiation, ends the session. */
  receive(text: string): void {
    const frame = parse(text);
    if (this.#isOpen) return this.#handle(clientFrameSchema.safeParse(frame).data);
    if (this.#begun) return this.#refuseEarly(frame);
    const initiation = initiationSchema.safeParse(frame);
    if (!initiation.success) {
      return this.socket.close(1008, "The first message must be conversation_initiation_client_data");
    }
    this.#begun = true;
    this.#begin(initiation.data);
  }

  /** Sound may come before the metadata, and what says nothing. */
  #refuseEarly(frame: unknown): void {
    const early = clientFrameSchema.safeParse(frame).data;
    if (early?.type === "user_message" || early?.type === "contextual_update") {
      this.socket.close(1008, "No message may come before conversation_initiation_metadata");
    }
  }

  /** Called once, when the socket is closed by either side. */
  closed(code: number, reason: string): void {
    this.#over = true;
    clearInterval(this.#speaking);
    for (const timer of this.#timers) clearTimeout(timer);
    this.record.endedAt = this.sessions.now();
    this.record.failed = code !== 1000 && code !== 1005 && code !== 1001;
    this.record.terminationReason ??= this.record.failed
      ? `Connection lost (${code})`
      : reason || "Client ended the conversation";
  }

  #begin(data: Initiation): void {
    const override = data.conversation_config_override;
    this.record.textOnly = override?.conversation?.text_only ?? false;
    this.record.language = override?.agent?.language ?? "en";
    this.record.userId = data.user_id ?? null;
    this.record.dynamicVariables = data.dynamic_variables ?? {};
    const { refuse, metadata_ms = 0 } = this.fault ?? {};
    if (refuse !== undefined) return this.socket.close(refuse.code, refuse.reason);
    const firstMessage = override?.agent?.first_message ?? this.firstMessage;
    const missing = missingVariables(firstMessage, this.record.dynamicVariables);
    if (missing.length > 0) return this.socket.close(1008, missingReason("first message", missing));
    if (metadata_ms > 0) return this.#later(metadata_ms, () => this.#open(firstMessage));
    this.#open(firstMessage);
  }

  #open(firstMessage: string): void {
    this.sessions.remember(this.record);
    this.#isOpen = true;
    this.#send("conversation_initiation_metadata", {
      conversation_initiation_metadata_event: {
        conversation_id: this.record.id,
        agent_output_audio_format: `pcm_${SAMPLE_RATE}`,
        user_input_audio_format: `pcm_${SAMPLE_RATE}`,
      },
    });
    this.#ping();
    this.#say(fillVariables(firstMessage, this.record.dynamicVariables));
    const { error, drop_after_ms } = this.fault ?? {};
    if (error !== undefined) this.#send("error", { error_event: error });
    if (drop_after_ms !== undefined) this.#later(drop_after_ms, () => this.socket.terminate());
  }

  #handle(frame: ClientFrame | undefined): void {
    if (frame === undefined) return;
    if ("user_audio_chunk" in frame) return this.#listen(frame.user_audio_chunk as string);
    if (frame.type === "user_message") return this.#take(frame.text);
    if (frame.type === "client_tool_result") {
      return this.#say(frame.is_error ? "I could not find that." : frame.result);
    }
    if (frame.type === "user_activity") return this.#interrupt();
    if (frame.type === "contextual_update") return void this.record.context.push(frame.text);
    if (frame.type === "feedback" && frame.score === "like") this.record.feedback.likes += 1;
    if (frame.type === "feedback" && frame.score === "dislike") this.record.feedback.dislikes += 1;
  }

  /** Counts sound, not time, so silence of a muted microphone counts too; sound during the agent's speech does not. */
  #listen(base64: string): void {
    if (this.#speaking !== undefined || this.#sentences >= RECOGNISED.length) return;
    this.#listenedMs += base64.length * 0.75 / 2 / SAMPLE_RATE * 1000;
    if (this.#listenedMs < this.sessions.settings.hear_after_ms) return;
    this.#listenedMs = 0;
    this.#take(RECOGNISED[this.#sentences++]!);
  }

  #take(text: string): void {
    if (this.fault?.silent) return this.#record("user", text);
    this.#interrupt();
    this.#eventId += 1;
    this.#record("user", text);
    this.#send("user_transcript", {
      user_transcription_event: { user_transcript: text, event_id: this.#eventId },
    });
    const reply = replyTo(text);
    if (reply.kind === "search") return this.#search(reply.query);
    if (reply.kind === "transfer") return this.#callTool("transfer_to_number");
    this.#say(reply.text);
    if (reply.kind === "hang_up") this.#later(this.record.textOnly ? 0 : 1500, () => this.#hangUp());
  }

  #search(query: string): void {
    const event_id = this.#eventId += 1;
    const toolCall = {
      tool_name: "search",
      tool_call_id: `call_${event_id}`,
      parameters: { query },
      event_id,
    };
    this.#send("client_tool_call", { client_tool_call: toolCall });
  }

  #say(text: string): void {
    this.#eventId += 1;
    this.#record("agent", text);
    if (this.record.textOnly) this.#sendParts(text);
    this.#send("agent_response", {
      agent_response_event: { agent_response: text, event_id: this.#eventId },
    });
    if (this.record.textOnly) return;
    this.#unsaid = speechFrames(text);
    this.#speak();
    clearInterval(this.#speaking);
    this.#speaking = setInterval(() => this.#speak(), CHUNK_MS);
  }

  /** In writing, a message comes in parts before it comes whole. */
  #sendParts(text: string): void {
    for (const part of [{ type: "start", text: "" }, { type: "delta", text }, { type: "stop", text: "" }]) {
      this.#send("agent_chat_response_part", { text_response_part: { ...part, event_id: this.#eventId } });
    }
  }

  #speak(): void {
    const audio_base_64 = this.#unsaid.shift();
    if (audio_base_64 !== undefined) {
      return this.#send("audio", { audio_event: { audio_base_64, event_id: this.#eventId } });
    }
    clearInterval(this.#speaking);
    this.#speaking = undefined;
  }

  /** The server itself must stop sending the turn: the client plays every frame that still comes. */
  #interrupt(): void {
    if (this.#speaking === undefined) return;
    clearInterval(this.#speaking);
    this.#speaking = undefined;
    this.#unsaid = [];
    const last = this.record.transcript.at(-1);
    if (last?.role === "agent") last.interrupted = true;
    this.#send("interruption", { interruption_event: { event_id: this.#eventId } });
  }

  #hangUp(): void {
    this.record.terminationReason = "end_call tool was called";
    this.#callTool("end_call");
    this.#later(HANG_UP_MS, () => this.socket.close(1000, "end_call tool was called"));
  }

  /** Reports a tool of the platform's own. */
  #callTool(tool_name: string): void {
    const toolCall = { tool_name, tool_call_id: `${tool_name}_${this.#eventId}`, tool_type: "system" };
    this.#send("agent_tool_response", {
      agent_tool_response: { ...toolCall, is_error: false, is_called: true, event_id: this.#eventId },
    });
  }

  #ping(): void {
    this.#pings += 1;
    this.#send("ping", { ping_event: { event_id: this.#pings, ping_ms: null } });
    this.#later(this.sessions.settings.ping_ms, () => this.#ping());
  }

  #record(role: "user" | "agent", message: string): void {
    const time_in_call_secs = Math.floor((this.sessions.now() - this.record.startedAt) / 1000);
    this.record.transcript.push({ role, message, time_in_call_secs, interrupted: false });
  }

  #send(type: string, payload: Record<string, unknown>): void {
    if (!this.#over) this.socket.send(JSON.stringify({ type, ...payload }));
  }

  #later(milliseconds: number, action: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      action();
    }, milliseconds);
    this.#timers.add(timer);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
