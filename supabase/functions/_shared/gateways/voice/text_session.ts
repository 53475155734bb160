import { platformWords } from "../platform_text.ts";
import { type AgentFrame, readAgentFrame } from "./agent_frame.ts";
import { startAgentTurn } from "./agent_turn.ts";

/** The question of a visitor, with its context. */
export interface AgentQuestion {
  text: string;
  /** The conversation before; empty at its beginning. */
  context: string;
  /** Of the visitor, for an agent whose texts use the dynamic variable `language`. */
  language: string;
  /** Names the visitor's conversation on the platform. */
  userId: string;
}

/** An agent's reply, or why there is none. */
export type AgentReply =
  /** `text` may be empty where the agent gives the conversation to a person without a word. */
  | { kind: "replied"; text: string; wantsPerson: boolean }
  /** A final failure does not pass by itself. `reason` is for the log; it has nothing that either side has said. */
  | { kind: "failed"; isFinal: boolean; reason: string }
  /** The caller has aborted. */
  | { kind: "stopped" };

/** How long an agent may take to begin its greeting, and to go on with it; those without one say nothing. */
const GREETING_MS = 1500;
/** A reply is whole when nothing has followed for so long: a correction, or a second message after a tool. */
const SETTLE_MS = 800;
/** The other side has so long to close the connection. */
const CLOSE_MS = 1000;

/** A frame with sound is 20 KB; there should be none. */
const MAX_FRAME_LENGTH = 256 * 1024;
const MAX_LENGTH = 2 * 1024 * 1024;

/** The platform's own code for a session that it refuses. */
const POLICY_VIOLATION = 1008;

/** A fault of the agent or of the session stays. */
const FINAL_ERRORS = ["override_error", "missing_dynamic_variable", "value_error"];

/**
 * Holds one session in writing with an agent: begins it, lets the agent greet, sends context and question, and resolves
 * with what the agent says after that. `signal` ends it; what the agent had said by then counts, except where the caller
 * stops. Source: the platform's WebSocket protocol, `@elevenlabs/client`.
 *
 * @param session `url`: a signed address; `apiKey`: removed from the platform's own words
 */
export async function holdTextSession(
  { url, apiKey }: { url: string; apiKey: string },
  question: AgentQuestion,
  signal: AbortSignal,
): Promise<AgentReply> {
  const turn = startAgentTurn();
  const ended = Promise.withResolvers<AgentReply>();
  const closed = Promise.withResolvers<void>();
  const socket = new WebSocket(url, ["convai"]);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let length = 0;
  let phase: "opening" | "greeting" | "asked" = "opening";

  const send = (frame: Record<string, unknown>) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(frame));
  };
  const after = (ms: number, action: () => void) => {
    clearTimeout(timer);
    timer = setTimeout(action, ms);
  };
  /** Ends the session with what the agent has said, or with the failure. */
  const end = (failure: AgentReply) => {
    const [text, wantsPerson] = [turn.text(), turn.wantsPerson()];
    ended.resolve(text !== "" || wantsPerson ? { kind: "replied", text, wantsPerson } : failure);
  };

  function ask(): void {
    phase = "asked";
    turn.ask();
    if (question.context !== "") send({ type: "contextual_update", text: question.context });
    send({ type: "user_message", text: question.text });
  }

  function reactTo(frame: AgentFrame): void {
    if (frame.type === "ping") return send({ type: "pong", event_id: frame.ping_event.event_id });
    if (frame.type === "client_tool_call") send(noTool(frame.client_tool_call.tool_call_id));
    if (frame.type === "error") return end(failedWith(frame.error_event, apiKey));
    if (frame.type === "conversation_initiation_metadata") {
      phase = "greeting";
      return after(GREETING_MS, ask);
    }
    turn.receive(frame);
    if (phase === "greeting") {
      clearTimeout(timer);
      return turn.isGreeted() ? ask() : after(GREETING_MS, ask);
    }
    clearTimeout(timer);
    if (turn.isOver()) return end(failed("The agent hung up without a reply"));
    if (turn.wantsPerson()) return after(SETTLE_MS, () => end(SILENT));
    if (turn.text() !== "" && !turn.isBusy()) after(SETTLE_MS, () => end(SILENT));
  }

  socket.onopen = () => send(initiation(question));
  socket.onmessage = ({ data }) => {
    // The protocol has text only.
    if (typeof data !== "string") return;
    length += data.length;
    if (data.length > MAX_FRAME_LENGTH || length > MAX_LENGTH) {
      return ended.resolve(failed("The voice platform sent more than a text session needs", true));
    }
    const frame = readAgentFrame(data);
    if (frame !== undefined) reactTo(frame);
  };
  socket.onclose = ({ code, reason }) => {
    closed.resolve();
    const words = platformWords(reason, apiKey);
    end(failed(
      `The voice platform closed the session (${code})${words && `: ${words}`}`,
      code === POLICY_VIOLATION,
    ));
  };
  // `onclose` follows.
  socket.onerror = (event) => event.preventDefault();
  const onAbort = () =>
    signal.reason?.name === "AbortError" ? ended.resolve({ kind: "stopped" }) : end(SILENT);
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await ended.promise;
  } finally {
    signal.removeEventListener("abort", onAbort);
    clearTimeout(timer);
    socket.close(1000, "User ended conversation");
    timer = setTimeout(closed.resolve, CLOSE_MS);
    await closed.promise;
    clearTimeout(timer);
  }
}

function failed(reason: string, isFinal = false): AgentReply {
  return { kind: "failed", isFinal, reason };
}

const SILENT = failed("The agent did not reply in time");

function failedWith(
  { code, error_type, message }: Extract<AgentFrame, { type: "error" }>["error_event"],
  apiKey: string,
): AgentReply {
  const words = [error_type ?? code ?? "", platformWords(message ?? "", apiKey)].filter(Boolean).join(": ");
  return failed(`The voice platform reported an error: ${words}`, FINAL_ERRORS.includes(error_type ?? ""));
}

function initiation({ language, userId }: AgentQuestion) {
  return {
    type: "conversation_initiation_client_data",
    conversation_config_override: { conversation: { text_only: true } },
    // As a session of the voice widget: to choose the agent's own language, its security settings have to allow it.
    dynamic_variables: { language },
    user_id: userId,
  };
}

/** A text session has none of the tools of a browser. */
function noTool(tool_call_id: string) {
  return {
    type: "client_tool_result",
    tool_call_id,
    result: "This tool is not available here",
    is_error: true,
  };
}
