import type { Store } from "../shared/store.ts";
import type { ChatApi, Ticket } from "./chat_api.ts";
import { type ConversationState, createModel } from "./conversation_state.ts";
import { createDelivery } from "./messages/deliver_messages.ts";
import { followConversation } from "./follow_conversation.ts";
import { hasMessage } from "./messages/message_log.ts";
import type { Message, Page } from "./schemas.ts";
import { createOutbox, type Pending, readTicket, writeTicket } from "./stored.ts";
import { createRetryWaits } from "./wait.ts";

/** The content of the chat. */
export interface ConversationView extends Omit<ConversationState, "ticket" | "log"> {
  /** Undefined before there is one. */
  conversationId: string | undefined;
  messages: readonly Message[];
  pending: Pending[];
}

export interface Conversation {
  view(): ConversationView;
  send(text: string): void;
  /** Sends a refused message again. */
  retry(id: string): void;
  sendTyping(isTyping: boolean): void;
  /** Asks for a person. Opens a conversation if there is none. Rejects when the request fails. */
  requestPerson(): Promise<void>;
  /** Resumes the stored conversation, which another tab may have opened. */
  resume(): void;
  /** Leaves a closed conversation. The next message opens a new one. */
  startAnew(): void;
}

export interface ConversationOptions {
  api: ChatApi;
  store: Store;
  visitor: { userId: string; language: string };
  /** Returns the page that the visitor is on, for a new conversation. */
  requestPage: () => Promise<Page | undefined>;
  onChange: () => void;
}

/**
 * Runs a visitor's conversation: resumes the one of the last visit if it is open, otherwise opens one with the first
 * message. After a lost connection it reconnects by itself. Messages wait in the outbox and are sent with the same id
 * until the server confirms them, so none is lost and none is stored twice.
 */
export function startConversation(options: ConversationOptions): Conversation {
  const { api, store, visitor, requestPage, onChange } = options;
  const outbox = createOutbox(store);
  const model = createModel(onChange);
  const waits = createRetryWaits();
  const flush = createDelivery({ api, model, outbox, waits, enter, leave, onEnd: onChange });
  let following = new AbortController();
  let entering: Promise<Ticket> | undefined;

  function resume(): boolean {
    const stored = readTicket(store);
    if (stored && stored.id !== model.state.ticket?.id) {
      join(stored);
      void identify(stored).catch(() => {});
    }
    return stored !== undefined;
  }

  /** Ties a resumed conversation to the visitor, where the page says who that is. Another person gets a new one. */
  async function identify(ticket: Ticket): Promise<void> {
    const page = await requestPage();
    if (!page?.identity) return;
    const opened = await api.open({ ...visitor, page }, ticket);
    if (opened.id === ticket.id || model.state.ticket?.id !== ticket.id) return;
    writeTicket(store, opened);
    join(opened);
  }

  /** Two callers at once must not open two conversations. */
  function enter(): Promise<Ticket> {
    return entering ??= enterOnce().finally(() => entering = undefined);
  }

  async function enterOnce(): Promise<Ticket> {
    if (!model.state.ticket && !resume()) {
      const opened = await api.open({ ...visitor, page: await requestPage() });
      writeTicket(store, opened);
      join(opened);
    }
    return model.state.ticket!;
  }

  function join(ticket: Ticket): void {
    following.abort();
    following = new AbortController();
    model.dispatch({ type: "joined", ticket });
    const { signal } = following;
    void followConversation({
      ...{ api, ticket, model, outbox, waits, signal },
      onHistory: flush,
      // Messages in the outbox go into a new conversation.
      onRefused: startAnew,
    });
  }

  function leave(): void {
    following.abort();
    writeTicket(store, undefined);
    model.dispatch({ type: "left" });
  }

  function startAnew(): void {
    leave();
    void flush();
  }

  function send(text: string): void {
    outbox.add(text);
    onChange();
    void flush();
  }

  // After the caller can show changes. A resumed conversation sends its outbox once its history is loaded, which may
  // contain some of it.
  queueMicrotask(() => resume() || void flush());

  return {
    view() {
      const { ticket, log, ...rest } = model.state;
      const pending = outbox.all().filter(({ id }) => !hasMessage(log, id));
      return { ...rest, conversationId: ticket?.id, messages: log.messages, pending };
    },
    send,
    retry(id) {
      const refused = outbox.all().find((pending) => pending.id === id);
      if (!refused) return;
      outbox.remove(id);
      send(refused.text);
    },
    sendTyping(isTyping) {
      const { ticket, isClosed } = model.state;
      if (ticket && !isClosed) void api.sendTyping(ticket, isTyping).catch(() => {});
    },
    requestPerson: async () => api.requestPerson(await enter()),
    resume: () => void resume(),
    startAnew,
  };
}
