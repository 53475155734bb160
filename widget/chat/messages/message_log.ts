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

/** Adds messages. Returns the same log when it has all of them already. */
export function addMessages(log: MessageLog, messages: readonly Message[]): MessageLog {
  const known = new Map(log.messages.map((message) => [message.sequence, message]));
  const fresh = messages.filter(({ sequence }) => !known.has(sequence));
  if (fresh.length === 0) return log;
  for (const message of fresh) known.set(message.sequence, message);
  let { last } = log;
  // The API confirms our own message at once, possibly before the stream sends an earlier one: no gap is skipped.
  while (last !== undefined && known.has(last + 1)) last++;
  return { messages: [...known.values()].sort((a, b) => a.sequence - b.sequence), last };
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
