import type { Store } from "../shared/open_store.ts";
import type { Message } from "./schemas.ts";

/** What is counted. */
interface Known {
  conversationId: string | undefined;
  messages: readonly Message[];
}

/** How many messages the visitor has not seen. */
export interface UnreadCount {
  /** Whether the visitor can see the messages. */
  setShown(isShown: boolean): void;
  /** Counts afresh. */
  update(known: Known): void;
}

export interface UnreadOptions {
  store: Store;
  isShown: boolean;
  /** Called with the number of messages nobody has seen, when it is another one. */
  onCount: (count: number) => void;
}

const SEEN = "seen";

/**
 * Counts the messages of the other side behind the last one the visitor has seen. That one is kept, so all tabs and the
 * next visit count the same.
 */
export function countUnread({ store, isShown, onCount }: UnreadOptions): UnreadCount {
  let reported: number | undefined;
  let last: Known | undefined;

  function update(known: Known): void {
    last = known;
    const { conversationId, messages } = known;
    const newest = messages.at(-1);
    if (!conversationId || !newest) return;
    store.set("last_message_at", newest.created_at);
    const seen = readSeen(store, conversationId);
    if (isShown && newest.sequence > seen) store.set(SEEN, `${conversationId} ${newest.sequence}`);
    const after = isShown ? newest.sequence : seen;
    report(messages.filter(({ author, sequence }) => author !== "visitor" && sequence > after).length);
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

/** The number of the last message that was seen in a conversation; 0 for another one. */
function readSeen(store: Store, conversationId: string): number {
  const [id, sequence] = (store.get(SEEN) ?? "").split(" ");
  return id === conversationId ? Number(sequence) || 0 : 0;
}
