import type { Message } from "../schemas.ts";

/** A conversation, its messages, and those that are not confirmed yet. */
interface Shown {
  conversationId: string | undefined;
  connection: string;
  messages: readonly Message[];
  pending: readonly { id: string }[];
}

/**
 * Returns a function that takes the conversation after each change, and calls `onArrival` once for each message that
 * arrived since the page was opened. The history of an earlier visit did not arrive.
 */
export function reportArrivals(onArrival: (message: Message) => void): (shown: Shown) => void {
  let conversation: string | undefined;
  /** The number of the last message of the history; undefined before that is loaded. */
  let history: number | undefined;
  let reported = new Set<number>();
  let pending = new Set<string>();

  function report(message: Message): void {
    const { sequence } = message;
    if (sequence <= history! || reported.has(sequence)) return;
    reported.add(sequence);
    onArrival(message);
  }

  return (shown) => {
    const { conversationId, connection, messages } = shown;
    if (conversationId !== conversation) {
      [conversation, history, reported] = [conversationId, undefined, new Set()];
    }
    if (messages.length > 0 || connection === "online") {
      history ??= endOfHistory(messages, pending);
      messages.forEach(report);
    }
    pending = new Set(shown.pending.map(({ id }) => id));
  };
}

/** Returns the number before the first message that was written on this page, or else the last one of all. */
function endOfHistory(messages: readonly Message[], pending: ReadonlySet<string>): number {
  const own = messages.find(({ client_message_id: id }) => typeof id === "string" && pending.has(id));
  return own ? own.sequence - 1 : messages.at(-1)?.sequence ?? 0;
}
