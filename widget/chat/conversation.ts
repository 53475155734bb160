import type { Store } from "../shared/open_store.ts";
import { ApiError } from "./api_error.ts";
import type { ChatApi, Ticket } from "./chat_api.ts";
import { createMessageLog, type MessageLog } from "./message_log.ts";
import { createOutbox, type Pending } from "./outbox.ts";
import type { ChatEvent } from "./read_events.ts";
import type { Message, Page } from "./schemas.ts";
import { readTicket, writeTicket } from "./ticket.ts";
import { retryDelay, wait } from "./wait.ts";

/** How the line to the server is; `idle` before there is a conversation to follow. */
export type Connection = "idle" | "connecting" | "online" | "reconnecting" | "refused";

/** What there is to show. */
export interface ConversationState {
  connection: Connection;
  /** Undefined before there is one. */
  conversationId: string | undefined;
  isClosed: boolean;
  /** The server takes no more messages for the moment. */
  /** Which limit keeps messages waiting: one of minutes, or the day's. */
  limit: "too_many" | "limit_reached" | undefined;
  otherIsTyping: boolean;
  messages: readonly Message[];
  pending: Pending[];
}

export interface Conversation {
  state(): ConversationState;
  send(text: string): void;
  /** Sends again what was refused. */
  retry(id: string): void;
  tellTyping(isTyping: boolean): void;
  /** Goes on with the conversation that is kept, which another tab may have opened. */
  resume(): void;
  /** Leaves a conversation that has ended, for a new one with the next message. */
  startAnew(): void;
}

export interface ConversationOptions {
  api: ChatApi;
  store: Store;
  visitor: { userId: string; language: string };
  /** Which page the visitor is on; asked when a conversation is opened. */
  askPage: () => Promise<Page | undefined>;
  onChange: () => void;
}

/** Without a stream, the messages are asked for every few seconds. */
const ASKING_FAILURES = 3;

/**
 * A visitor's conversation: the one from the last visit if it goes on, otherwise one that is opened with the first
 * message. It comes back by itself whenever the connection is lost; what was written in the meantime waits in the outbox
 * and is sent with the same id until the server has confirmed it, so nothing is lost and nothing is there twice.
 */
export function startConversation(options: ConversationOptions): Conversation {
  const { api, store, visitor, askPage, onChange } = options;
  const outbox = createOutbox(store);
  let log: MessageLog = createMessageLog();
  let ticket: Ticket | undefined;
  let following = new AbortController();
  let waking = new AbortController();
  let isSending = false;
  const now = {
    connection: "idle" as Connection,
    isClosed: false,
    limit: undefined as ConversationState["limit"],
    otherIsTyping: false,
  };

  function change(part: Partial<typeof now>): void {
    Object.assign(now, part);
    onChange();
  }

  /** The server answered: whoever waits before the next try need not. */
  function wake(): void {
    waking.abort();
    waking = new AbortController();
  }

  /** Goes on with the conversation this browser has, whichever tab opened it. */
  function resume(): boolean {
    const kept = readTicket(store);
    if (!kept) return false;
    if (kept.id === ticket?.id) return true;
    begin(kept);
    return true;
  }

  function begin(opened: Ticket): void {
    leave();
    ticket = opened;
    following = new AbortController();
    void stay(opened, log, following.signal);
  }

  function leave(): void {
    following.abort();
    ticket = undefined;
    log = createMessageLog();
    Object.assign(now, { connection: "idle", isClosed: false, otherIsTyping: false });
  }

  /** Keeps up with a conversation until it is left. */
  async function stay(opened: Ticket, known: MessageLog, signal: AbortSignal): Promise<void> {
    let failures = 0;
    let hasHistory = false;
    if (now.connection === "idle") change({ connection: "connecting" });
    while (!signal.aborted && !now.isClosed) {
      let isReached = false;
      try {
        if (!hasHistory || failures > 0) {
          // Where no stream gets through, asking does.
          const { status, messages } = await api.history(opened, hasHistory ? known.last : undefined);
          if (signal.aborted) return;
          if (hasHistory) messages.forEach((message) => receive({ type: "message", message }));
          else known.begin(messages);
          messages.forEach(settle);
          [hasHistory, isReached] = [true, true];
          failures = Math.min(failures, ASKING_FAILURES);
          change({ connection: "online", isClosed: status === "closed" });
          if (now.isClosed) return;
          wake();
          void flush();
        }
        await api.follow(opened, {
          after: known.last,
          signal,
          onOpen() {
            failures = 0;
            change({ connection: "online" });
            wake();
          },
          onEvent: (event) => !signal.aborted && receive(event),
        });
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof ApiError && error.isRefusal) return forget();
        change({ ...(isReached ? {} : { connection: "reconnecting" }), otherIsTyping: false });
        failures++;
      }
      // Streams end by themselves too; the server must not be asked without a pause whatever it does.
      await wait(retryDelay(failures), signal, waking.signal);
    }
  }

  /** The token opens nothing any more. What waits in the outbox goes into a new conversation. */
  function forget(): void {
    writeTicket(store, undefined);
    leave();
    onChange();
    if (outbox.all().length > 0) void flush();
  }

  function receive(event: ChatEvent): void {
    if (event.type === "typing") return change({ otherIsTyping: event.isTyping });
    if (event.type === "status") {
      if (event.status === "closed") following.abort();
      return change({ isClosed: event.status === "closed", otherIsTyping: false });
    }
    const fresh = log.add([event.message]).filter(({ author }) => author !== "visitor");
    settle(event.message);
    change(fresh.length > 0 ? { otherIsTyping: false } : {});
  }

  function settle(message: Message): void {
    if (message.client_message_id) outbox.remove(message.client_message_id);
  }

  const waiting = () => outbox.all().filter(({ isRefused }) => !isRefused);

  /** Sends what waits, one after the other so that the order stays, until nothing waits or the conversation ended. */
  async function flush(): Promise<void> {
    if (isSending) return;
    isSending = true;
    let failures = 0;
    try {
      for (let [next] = waiting(); next && !now.isClosed; [next] = waiting()) {
        try {
          await deliver(next);
          failures = 0;
          if (now.limit) change({ limit: undefined });
        } catch (error) {
          if (!await recover(error, next, failures++)) return;
        }
      }
    } finally {
      isSending = false;
      onChange();
    }
  }

  async function deliver(pending: Pending): Promise<void> {
    if (!ticket && !resume()) {
      const opened = await api.open({ ...visitor, page: await askPage() });
      writeTicket(store, opened);
      begin(opened);
    }
    const message = await api.post(ticket!, pending);
    log.add([message]);
    outbox.remove(pending.id);
    onChange();
    if (now.connection === "reconnecting") wake();
  }

  /** Says whether to go on after a failure, when it is time to. */
  async function recover(error: unknown, pending: Pending, failures: number): Promise<boolean> {
    const limit = error instanceof ApiError ? error.limit : undefined;
    if (!(error instanceof ApiError) || error.isPassing) {
      if (limit) change({ limit });
      // With a conversation, the stream knows how the line is.
      else if (!ticket) change({ connection: "reconnecting" });
      const seconds = limit && error instanceof ApiError ? error.retryAfter : undefined;
      await wait(seconds ? seconds * 1000 : retryDelay(failures), ...(limit ? [] : [waking.signal]));
      return true;
    }
    if (error.code === "conversation_closed") {
      change({ isClosed: true });
      return false;
    }
    if (!error.isRefusal) {
      outbox.refuse(pending);
      return true;
    }
    const hadTicket = ticket !== undefined;
    writeTicket(store, undefined);
    leave();
    // A token that is no good any more is no harm: a new conversation is opened. A key that is none, is.
    if (!hadTicket) change({ connection: "refused" });
    return hadTicket;
  }

  // Not before the caller has what it needs to show changes. With a conversation, what waits is sent once its history
  // has shown what arrived of it after all.
  queueMicrotask(() => resume() || void flush());

  return {
    state: () => ({
      ...now,
      conversationId: ticket?.id,
      messages: log.messages,
      pending: outbox.all().filter(({ id }) => !log.has(id)),
    }),
    send(text) {
      outbox.add(text);
      onChange();
      void flush();
    },
    retry(id) {
      const refused = outbox.all().find((pending) => pending.id === id);
      if (!refused) return;
      outbox.remove(id);
      this.send(refused.text);
    },
    tellTyping(isTyping) {
      if (ticket && !now.isClosed) void api.tellTyping(ticket, isTyping).catch(() => {});
    },
    resume: () => void resume(),
    startAnew() {
      writeTicket(store, undefined);
      leave();
      onChange();
      void flush();
    },
  };
}
