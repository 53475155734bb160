import type { Ticket } from "./chat_api.ts";
import {
  addHistory,
  addMessages,
  EMPTY_LOG,
  type MessageLog,
  messagesAfter,
} from "./messages/message_log.ts";
import type { ChatEvent } from "./read_events.ts";
import type { Message } from "./schemas.ts";

/** `idle`: no conversation yet. `refused`: the API refused the key. */
export type Connection = "idle" | "connecting" | "online" | "reconnecting" | "refused";

/** `too_many` per minute, or the day's limit. */
export type Limit = "too_many" | "limit_reached";

export interface ConversationState {
  connection: Connection;
  /** The conversation and its token; undefined before there is one. */
  ticket: Ticket | undefined;
  isClosed: boolean;
  /** The limit that keeps messages from being sent. */
  limit: Limit | undefined;
  otherIsTyping: boolean;
  /** The name of the one who types, where the visitor may know it. */
  typingName: string | undefined;
  /** The numbers of the last messages that the visitor and the company's side have read. */
  visitorRead: number;
  operatorRead: number;
  /** Whether replies can follow by e-mail. */
  hasEmail: boolean;
  /** The visitor's rating. */
  rating: number | null;
  log: MessageLog;
}

/** The conversation as the API has it. */
export interface History {
  type: "history";
  status: "open" | "closed";
  messages: Message[];
  visitorRead: number;
  operatorRead: number;
  hasEmail: boolean;
  rating: number | null;
}

export type ConversationEvent =
  | ChatEvent
  /** A conversation was opened, or one of an earlier visit or another tab is resumed. */
  | { type: "joined"; ticket: Ticket }
  | { type: "left" }
  | History
  /** Messages before the first one. */
  | { type: "earlier"; messages: Message[] }
  /** The visitor has seen this message, left an address, or rated. */
  | { type: "seen"; sequence: number }
  | { type: "email_stored" }
  | { type: "rated"; rating: number }
  | { type: "connected" }
  /** The stream failed. `isReached`: the API itself did respond. */
  | { type: "disconnected"; isReached: boolean }
  | { type: "delivered"; message: Message }
  | { type: "not_delivered"; limit: Limit | undefined }
  | { type: "key_refused" };

export const INITIAL_STATE: ConversationState = {
  connection: "idle",
  ticket: undefined,
  isClosed: false,
  limit: undefined,
  otherIsTyping: false,
  typingName: undefined,
  visitorRead: 0,
  operatorRead: 0,
  hasEmail: false,
  rating: null,
  log: EMPTY_LOG,
};

/** Returns the state after an event. Pure: `conversation.ts` makes the requests. */
export function next(state: ConversationState, event: ConversationEvent): ConversationState {
  switch (event.type) {
    case "joined":
      return { ...INITIAL_STATE, limit: state.limit, connection: "connecting", ticket: event.ticket };
    case "left":
      return { ...INITIAL_STATE, limit: state.limit };
    case "history":
      return {
        ...withLog(state, addHistory(state.log, event.messages)),
        connection: "online",
        isClosed: event.status === "closed",
        visitorRead: event.visitorRead,
        operatorRead: Math.max(event.operatorRead, state.operatorRead),
        hasEmail: event.hasEmail,
        rating: event.rating,
      };
    case "earlier":
      return { ...state, log: addMessages(state.log, event.messages) };
    case "connected":
      return { ...state, connection: "online" };
    case "disconnected":
      return {
        ...state,
        connection: event.isReached ? state.connection : "reconnecting",
        otherIsTyping: false,
      };
    case "message":
      return withLog(state, addMessages(state.log, [event.message]));
    case "typing":
      return { ...state, otherIsTyping: event.isTyping, typingName: event.name };
    case "read":
      return { ...state, operatorRead: Math.max(event.sequence, state.operatorRead) };
    case "seen":
      return { ...state, visitorRead: Math.max(event.sequence, state.visitorRead) };
    case "email_stored":
      return { ...state, hasEmail: true };
    case "rated":
      return { ...state, rating: event.rating };
    case "status":
      return { ...state, isClosed: event.status === "closed", otherIsTyping: false };
    case "delivered":
      return { ...state, log: addMessages(state.log, [event.message]), limit: undefined };
    case "not_delivered":
      if (event.limit) return { ...state, limit: event.limit };
      // With a conversation, the stream knows the state of the connection.
      return state.ticket ? state : { ...state, connection: "reconnecting" };
    case "key_refused":
      return { ...state, connection: "refused" };
  }
}

/** Typing ends with a new message of the other side. */
function withLog(state: ConversationState, log: MessageLog): ConversationState {
  const newest = state.log.messages.at(-1)?.sequence ?? 0;
  const hasReply = messagesAfter(log, newest).some(({ author }) => author !== "visitor");
  return { ...state, log, otherIsTyping: state.otherIsTyping && !hasReply };
}

/** Holds the state of a conversation. */
export interface ConversationModel {
  readonly state: ConversationState;
  dispatch(event: ConversationEvent): void;
}

/** Creates a model in its initial state. Calls `onChange` after every event. */
export function createModel(onChange: () => void): ConversationModel {
  let state = INITIAL_STATE;
  return {
    get state() {
      return state;
    },
    dispatch(event) {
      state = next(state, event);
      onChange();
    },
  };
}
