import assert from "node:assert/strict";
import {
  type ConversationEvent,
  type ConversationState,
  createModel,
  INITIAL_STATE,
  next,
} from "../../../widget/chat/conversation_state.ts";
import type { Message } from "../../../widget/chat/schemas.ts";

const TICKET = { id: "conversation", token: "vt_1" };
const JOINED: ConversationEvent = { type: "joined", ticket: TICKET };

function message(sequence: number, author: Message["author"]): Message {
  return {
    ...{ id: `id-${sequence}`, sequence, author, text: "x", client_message_id: null },
    created_at: "2030-01-01T00:00:00Z",
  };
}

function history(...messages: Message[]): ConversationEvent {
  const state = { visitorRead: 0, operatorRead: 0, hasEmail: false, rating: null };
  return { type: "history", status: "open", messages, ...state };
}

function after(...events: ConversationEvent[]): ConversationState {
  return events.reduce(next, INITIAL_STATE);
}

Deno.test("next() connects, shows the history and reconnects", () => {
  assert.equal(after(JOINED).connection, "connecting");
  const online = after(JOINED, history(message(1, "visitor")));
  assert.deepEqual([online.connection, online.log.last, online.ticket], ["online", 1, TICKET]);

  const lost = next(online, { type: "disconnected", isReached: false });

  assert.equal(lost.connection, "reconnecting");
  assert.equal(next(online, { type: "disconnected", isReached: true }).connection, "online");
  assert.equal(next(lost, { type: "connected" }).connection, "online");
});

Deno.test("next() ends typing with a reply, a lost stream or a status, and not with the visitor's message", () => {
  const typing = after(JOINED, history(), { type: "typing", isTyping: true });
  const isTyping = (event: ConversationEvent) => next(typing, event).otherIsTyping;

  assert.ok(isTyping({ type: "message", message: message(1, "visitor") }));
  assert.ok(!isTyping({ type: "message", message: message(1, "operator") }));
  assert.ok(!isTyping(history(message(1, "operator"))));
  assert.ok(!isTyping({ type: "status", status: "open" }));
  assert.ok(!isTyping({ type: "disconnected", isReached: true }));
  assert.ok(!isTyping({ type: "typing", isTyping: false }));
});

Deno.test("next() shows a limit until a message is delivered", () => {
  const limited = after(JOINED, { type: "not_delivered", limit: "limit_reached" });
  assert.equal(limited.limit, "limit_reached");
  assert.equal(next(limited, { type: "left" }).limit, "limit_reached");

  const delivered = next(limited, { type: "delivered", message: message(1, "visitor") });

  assert.deepEqual([delivered.limit, delivered.log.messages.length], [undefined, 1]);
});

Deno.test("next() leaves the connection to the stream once there is a conversation", () => {
  const failed: ConversationEvent = { type: "not_delivered", limit: undefined };

  assert.equal(after(failed).connection, "reconnecting");
  assert.equal(after(JOINED, failed).connection, "connecting");
});

Deno.test("next() closes, leaves and starts afresh", () => {
  const closed = after(JOINED, history(message(1, "visitor")), { type: "status", status: "closed" });
  assert.ok(closed.isClosed);
  assert.ok(after(JOINED, { ...history(), status: "closed" } as ConversationEvent).isClosed);

  assert.deepEqual(next(closed, { type: "left" }), INITIAL_STATE);
  assert.deepEqual(next(closed, JOINED), after(JOINED));
  assert.equal(after({ type: "key_refused" }).connection, "refused");
});

Deno.test("createModel() reports every event once its state is there", () => {
  const seen: string[] = [];
  const model = createModel(() => seen.push(model.state.connection));
  model.dispatch(JOINED);
  model.dispatch({ type: "connected" });

  assert.deepEqual(seen, ["connecting", "online"]);
});
