import type { Message } from "./schemas.ts";

/** The confirmed messages of a conversation in their order, each once however often it is told. */
export interface MessageLog {
  readonly messages: readonly Message[];
  /** The number up to which nothing is missing; the server is asked for what comes behind it. */
  readonly last: number;
  /** Takes the history, which has no gaps and from which on all are wanted. */
  begin(history: Message[]): void;
  /** Answers those that were not known. */
  add(messages: Message[]): Message[];
  has(clientMessageId: string): boolean;
}

export function createMessageLog(): MessageLog {
  const bySequence = new Map<number, Message>();
  const clientIds = new Set<string>();
  let ordered: Message[] = [];
  let last: number | undefined;

  function add(messages: Message[]): Message[] {
    const fresh = messages.filter(({ sequence }) => !bySequence.has(sequence));
    for (const message of fresh) {
      bySequence.set(message.sequence, message);
      if (message.client_message_id) clientIds.add(message.client_message_id);
    }
    if (fresh.length > 0) ordered = [...bySequence.values()].sort((a, b) => a.sequence - b.sequence);
    // Our own message is confirmed at once, and may be ahead of one that the stream has not told: no gap is skipped.
    while (last !== undefined && bySequence.has(last + 1)) last++;
    return fresh;
  }

  return {
    get messages() {
      return ordered;
    },
    get last() {
      return last ?? 0;
    },
    begin(history) {
      last ??= history[0]?.sequence ?? 0;
      add(history);
    },
    add,
    has: (id) => clientIds.has(id),
  };
}
