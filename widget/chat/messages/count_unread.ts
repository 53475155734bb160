import type { Store } from "../../shared/store.ts";
import type { Message } from "../schemas.ts";
import { messagesAfter } from "./message_log.ts";

/** A conversation and its messages. */
interface Counted {
  conversationId: string | undefined;
  messages: readonly Message[];
}

/** Counts the messages that the visitor has not seen. */
export interface UnreadCount {
  /** Whether the visitor can see the messages. */
  setShown(isShown: boolean): void;
  /** Counts again. */
  update(counted: Counted): void;
}

export interface UnreadOptions {
  store: Store;
  isShown: boolean;
  /** Called with the number of unread messages, whenever it changes. */
  onCount: (count: number) => void;
}

const SEEN = "seen";

/**
 * Counts the other side's messages after the last one that the visitor has seen. The last one is stored, so that all
 * tabs and the next visit count the same.
 */
export function countUnread({ store, isShown, onCount }: UnreadOptions): UnreadCount {
  let reported: number | undefined;
  let last: Counted | undefined;

  function update(counted: Counted): void {
    last = counted;
    const { conversationId, messages } = counted;
    const newest = messages.at(-1);
    if (!conversationId || !newest) return;
    store.set("last_message_at", newest.created_at);
    const seen = readSeen(store, conversationId);
    if (isShown && newest.sequence > seen) store.set(SEEN, `${conversationId} ${newest.sequence}`);
    const after = isShown ? newest.sequence : seen;
    report(messagesAfter({ messages }, after).filter(({ author }) => author !== "visitor").length);
  }

  function report(count: number): void {
    if (count === reported) return;
    reported = count;
    onCount(count);
  }

  return {
    setShown(value) {
      isShown = value;
      if (last) update(last);
    },
    update,
  };
}

/** Returns the number of the last seen message of a conversation; 0 for another conversation. */
function readSeen(store: Store, conversationId: string): number {
  const [id, sequence] = (store.get(SEEN) ?? "").split(" ");
  return id === conversationId ? Number(sequence) || 0 : 0;
}
