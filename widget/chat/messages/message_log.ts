import type { Message } from "../schemas.ts";

/** The confirmed messages of a conversation, each once and in order. */
export interface MessageLog {
  readonly messages: readonly Message[];
  /** The number up to which no message is missing; undefined before the history is loaded. */
  readonly last: number | undefined;
}

export const EMPTY_LOG: MessageLog = { messages: [], last: undefined };

/** Adds the history, which has no gaps. */
export function addHistory(log: MessageLog, history: readonly Message[]): MessageLog {
  return addMessages({ ...log, last: log.last ?? history[0]?.sequence ?? 0 }, history);
}

/**
 * Adds messages. Returns the same log when it has all of them already. A message that follows all others costs the same
 * however many there are, but for a copy of the list.
 */
export function addMessages(log: MessageLog, messages: readonly Message[]): MessageLog {
  const newest = log.messages.at(-1)?.sequence ?? 0;
  const isNext = messages.length === 1 && messages[0]!.sequence > newest;
  const all = isNext ? [...log.messages, messages[0]!] : merge(log.messages, messages);
  if (all.length === log.messages.length) return log;
  let { last } = log;
  if (last === undefined) return { messages: all, last };
  // The API confirms our own message at once, possibly before the stream sends an earlier one: no gap is skipped.
  for (const { sequence } of messagesAfter({ messages: all }, last)) {
    if (sequence !== last + 1) break;
    last = sequence;
  }
  return { messages: all, last };
}

function merge(known: readonly Message[], added: readonly Message[]): readonly Message[] {
  const bySequence = new Map(known.map((message) => [message.sequence, message]));
  for (const message of added) {
    if (!bySequence.has(message.sequence)) bySequence.set(message.sequence, message);
  }
  return [...bySequence.values()].sort((a, b) => a.sequence - b.sequence);
}

/** Returns the messages after a number, in their order. Reads only these. */
export function messagesAfter(
  { messages }: Pick<MessageLog, "messages">,
  sequence: number,
): readonly Message[] {
  let from = messages.length;
  while (from > 0 && messages[from - 1]!.sequence > sequence) from--;
  return messages.slice(from);
}

/** Returns whether messages before the first one are missing. */
export function hasEarlier(messages: readonly Message[]): boolean {
  return messages.length > 0 && messages[0]!.sequence > 1;
}

/** Returns whether the log contains the message with this `client_message_id`. */
export function hasMessage({ messages }: MessageLog, clientMessageId: string): boolean {
  return messages.some((message) => message.client_message_id === clientMessageId);
}

/** Returns the position of the last message that fits; -1 without one. Not all browsers have `findLastIndex`. */
export function lastIndexWhere(messages: readonly Message[], fits: (message: Message) => boolean): number {
  let index = messages.length - 1;
  while (index >= 0 && !fits(messages[index]!)) index--;
  return index;
}
