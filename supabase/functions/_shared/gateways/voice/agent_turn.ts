import type { AgentFrame } from "./agent_frame.ts";

/** Tools by which an agent gives the conversation to a person. They work in phone calls only. */
const TO_A_PERSON = ["transfer_to_number"];

const END_CALL = "end_call";

/**
 * The words of an agent in a text session, from the frames that it sends. Those before `ask` are its greeting, and no
 * reply.
 */
export interface AgentTurn {
  receive(frame: AgentFrame): void;
  /** The visitor's message is sent from now on. */
  ask(): void;
  /** Whether the agent is in the middle of something: it will say more. */
  isBusy(): boolean;
  /** Whether a greeting has been said, from its beginning to its end. */
  isGreeted(): boolean;
  /** The reply so far, without the spaces around it. */
  text(): string;
  /** Whether the agent gives the conversation to a person. */
  wantsPerson(): boolean;
  /** Whether the agent has hung up. */
  isOver(): boolean;
}

type AgentPart = Extract<AgentFrame, { type: "agent_chat_response_part" }>["text_response_part"];

/** Starts to listen to an agent. */
export function startAgentTurn(): AgentTurn {
  /** The whole messages, by the ids of their turns. */
  const messages = new Map<number, string>();
  /** The beginnings of messages that are sent in parts. */
  const parts = new Map<number, string>();
  const openTools = new Set<string>();
  let isAsked = false;
  let greetedId = -1;
  let expectsMore = false;
  let wantsPerson = false;
  let isOver = false;

  /** A frame without an id is of the greeting, or of the reply. */
  const turnOf = (id: number | null | undefined) => id ?? (isAsked ? Infinity : 0);

  function say(eventId: number | null | undefined, text: string): void {
    const id = turnOf(eventId);
    messages.set(id, text);
    parts.delete(id);
    if (text.trim() !== "") expectsMore = false;
  }

  function receivePart({ event_id, type, text }: AgentPart): void {
    const id = turnOf(event_id);
    if (messages.has(id)) return;
    const whole = (type === "start" ? "" : parts.get(id) ?? "") + text;
    if (type === "stop") say(id, whole);
    else parts.set(id, whole);
  }

  function receiveTool(name: string, id: string, isDone: boolean): void {
    openTools[isDone ? "delete" : "add"](id);
    expectsMore ||= isDone;
    wantsPerson ||= TO_A_PERSON.includes(name);
  }

  function receive(frame: AgentFrame): void {
    switch (frame.type) {
      case "agent_response": {
        const { event_id, agent_response } = frame.agent_response_event;
        return say(event_id, agent_response);
      }
      case "agent_response_correction": {
        const { event_id, corrected_agent_response } = frame.agent_response_correction_event;
        return say(event_id, corrected_agent_response);
      }
      case "agent_chat_response_part":
        return receivePart(frame.text_response_part);
      case "client_tool_call":
        expectsMore = true;
        return;
      case "agent_tool_request": {
        const { tool_name, tool_call_id } = frame.agent_tool_request;
        return receiveTool(tool_name, tool_call_id ?? tool_name, false);
      }
      case "agent_tool_response": {
        const { tool_name, tool_call_id, is_error } = frame.agent_tool_response;
        isOver ||= tool_name === END_CALL && !is_error;
        return receiveTool(tool_name, tool_call_id ?? tool_name, true);
      }
      case "external_agent_connected":
        wantsPerson = true;
    }
  }

  return {
    receive,
    ask: () => {
      isAsked = true;
      greetedId = Math.max(greetedId, ...messages.keys(), ...parts.keys());
      parts.clear();
    },
    isBusy: () => expectsMore || openTools.size > 0 || [...parts.keys()].some((id) => id > greetedId),
    isGreeted: () => messages.size > 0 && parts.size === 0,
    text: () =>
      [...messages].filter(([id]) => id > greetedId).sort(([a], [b]) => a - b)
        .map(([, text]) => text.trim()).filter((text) => text !== "").join("\n\n"),
    wantsPerson: () => wantsPerson,
    isOver: () => isOver,
  };
}
