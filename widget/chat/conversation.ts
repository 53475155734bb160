import type { Store } from "../shared/store.ts";
import { ApiError, type ChatApi, type Ticket } from "./chat_api.ts";
import { type ConversationState, createModel } from "./conversation_state.ts";
import { createDelivery } from "./messages/deliver_messages.ts";
import { followConversation } from "./follow_conversation.ts";
import { refusalOf } from "./composing/refusal_of.ts";
import { hasEarlier, hasMessage, lastIndexWhere } from "./messages/message_log.ts";
import type { Consent, FileLink, Message, Page } from "./schemas.ts";
import { createOutbox, type Pending, readTicket, writeTicket } from "./stored.ts";
import { createRetryWaits } from "./wait.ts";

/** The name of the stored value: the text that the visitor accepted last. */
const CONSENT = "consent";

/** The content of the chat. */
export interface ConversationView extends Omit<ConversationState, "ticket" | "log" | "visitorRead"> {
  /** Undefined before there is one. */
  conversationId: string | undefined;
  messages: readonly Message[];
  pending: Pending[];
  /** The text that the visitor must accept before the first message. */
  consent: Consent | undefined;
}

export interface Conversation {
  view(): ConversationView;
  /** Sends a text; `isQuickReply`: one of the widget's own. */
  send(text: string, options?: { isQuickReply?: boolean }): void;
  /** Sends a file, or shows why it cannot be sent. */
  sendFile(file: File): void;
  /** Sends a refused message again. */
  retry(id: string): void;
  /** Loads messages before the first one. Does nothing while it does so already. */
  loadEarlier(): Promise<void>;
  /** Returns a link to the file of a message. */
  linkFile(sequence: number): Promise<FileLink>;
  sendTyping(isTyping: boolean): void;
  /** Asks for a person. Opens a conversation if there is none. Rejects when the request fails. */
  requestPerson(): Promise<void>;
  /** Resumes the stored conversation, which another tab may have opened, or leaves it where none is stored any more. */
  resume(): void;
  /** Tells that the visitor opened the chat: what waits for a retry is tried at once, and who the page says it is, tied. */
  opened(): void;
  /** Reports that the visitor sees all messages. */
  markSeen(): void;
  /** Stores where the visitor wants replies by e-mail. Rejects when that failed. */
  leaveEmail(email: string): Promise<void>;
  /** Rejects when the rating was not stored. */
  rate(rating: { rating: number; comment: string }): Promise<void>;
  /** Accepts the text of the view's `consent`. */
  acceptConsent(): void;
  /** Leaves a closed conversation. The next message opens a new one. */
  startAnew(): void;
}

export interface ConversationOptions {
  api: ChatApi;
  store: Store;
  visitor: { userId: string; language: string };
  /** The text that visitors must accept before the first message. */
  consent: Consent | null;
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
  let { consent } = options;
  let following = new AbortController();
  let entering: Promise<Ticket> | undefined;
  /** Whether the page has said who the visitor is. */
  let isNamed = false;

  function resume(): boolean {
    const stored = readTicket(store);
    if (stored && stored.id !== model.state.ticket?.id) {
      join(stored);
      void identify(stored).catch(() => {});
    }
    return stored !== undefined;
  }

  async function readPage(): Promise<Page | undefined> {
    const page = await requestPage();
    isNamed ||= Boolean(page?.identity);
    return page;
  }

  /** Ties a resumed conversation to the visitor, where the page says who that is. Another person gets a new one. */
  async function identify(ticket: Ticket): Promise<void> {
    const page = await readPage();
    if (!page?.identity) return;
    const opened = await api.open({ ...visitor, page }, ticket);
    if (model.state.ticket?.id !== ticket.id) return;
    writeTicket(store, opened);
    if (opened.id !== ticket.id) join(opened);
  }

  /** Two callers at once must not open two conversations. */
  function enter(): Promise<Ticket> {
    return entering ??= enterOnce().finally(() => entering = undefined);
  }

  async function enterOnce(): Promise<Ticket> {
    if (!model.state.ticket && !resume()) {
      const page = await readPage();
      const opened = await api.open({ ...visitor, page, consent: acceptedConsent() }).catch(rereadConsent);
      writeTicket(store, opened);
      join(opened);
    }
    return model.state.ticket!;
  }

  /** The company may have changed the text since the page was loaded: the visitor then has to accept the new one. */
  async function rereadConsent(refusal: unknown): Promise<never> {
    if (refusal instanceof ApiError && refusal.status === 400) consent = await api.readConsent();
    throw refusal;
  }

  const hasAccepted = () => consent === null || store.get(CONSENT) === JSON.stringify(consent);
  const acceptedConsent = () => consent !== null && hasAccepted() ? consent : undefined;

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

  function deliver(): void {
    onChange();
    waits.end();
    void flush();
  }

  let isLoadingEarlier = false;

  async function loadEarlier(): Promise<void> {
    const { ticket, log } = model.state;
    if (isLoadingEarlier || !ticket || !hasEarlier(log.messages)) return;
    isLoadingEarlier = true;
    try {
      const messages = await api.earlier(ticket, log.messages[0]!.sequence);
      if (model.state.ticket === ticket) model.dispatch({ type: "earlier", messages });
    } finally {
      isLoadingEarlier = false;
    }
  }

  // After the caller can show changes. A resumed conversation sends its outbox once its history is loaded, which may
  // contain some of it.
  queueMicrotask(() => resume() || void flush());

  return {
    view() {
      const { ticket, log, visitorRead: _, ...rest } = model.state;
      const pending = outbox.all().filter(({ id }) => !hasMessage(log, id));
      return {
        ...rest,
        conversationId: ticket?.id,
        messages: log.messages,
        pending,
        consent: ticket || hasAccepted() ? undefined : consent!,
      };
    },
    send(text, options) {
      outbox.add(text, options);
      deliver();
    },
    sendFile(file) {
      outbox.addFile(file, refusalOf(file));
      deliver();
    },
    retry(id) {
      const refused = outbox.all().find((pending) => pending.id === id);
      if (!refused) return;
      outbox.remove(id);
      const { file, text } = refused;
      if (file) outbox.addFile(file, refusalOf(file));
      else outbox.add(text);
      deliver();
    },
    loadEarlier,
    async linkFile(sequence) {
      return await api.linkFile(model.state.ticket!, sequence);
    },
    sendTyping(isTyping) {
      const { ticket, isClosed } = model.state;
      if (ticket && !isClosed) void api.sendTyping(ticket, isTyping).catch(() => {});
    },
    opened() {
      waits.end();
      const { ticket } = model.state;
      if (ticket && !isNamed) void identify(ticket).catch(() => {});
    },
    markSeen() {
      const { ticket, visitorRead, log } = model.state;
      const newest = lastIndexWhere(log.messages, ({ author }) => author !== "visitor");
      const sequence = log.messages[newest]?.sequence ?? 0;
      if (!ticket || log.last === undefined || sequence <= visitorRead) return;
      model.dispatch({ type: "seen", sequence });
      void api.sendRead(ticket, sequence).catch(() => {});
    },
    async leaveEmail(email) {
      await api.sendEmail(model.state.ticket!, email);
      model.dispatch({ type: "email_stored" });
    },
    async rate(rating) {
      await api.sendRating(model.state.ticket!, rating);
      model.dispatch({ type: "rated", rating: rating.rating });
    },
    acceptConsent() {
      store.set(CONSENT, JSON.stringify(consent));
      onChange();
    },
    requestPerson: async () => api.requestPerson(await enter()),
    resume() {
      // Another tab, or the page after a log-out, has left the conversation.
      if (!resume() && model.state.ticket) leave();
    },
    startAnew,
  };
}
