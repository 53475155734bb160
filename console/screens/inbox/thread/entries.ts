import type { ConversationNote, InboxMessage } from "../../../data/sdk.ts";

/** An entry of a conversation: a message, or a note that only members see. */
export type Entry =
  | { kind: "message"; id: string; at: string; message: InboxMessage }
  | { kind: "note"; id: string; at: string; note: ConversationNote };

/**
 * Puts messages and notes in their order, the oldest first; both come newest first, and what has the same time keeps its
 * order: the platform's times are whole seconds. Notes from before the oldest message that is read are left out until the
 * messages around them are.
 */
export function entriesOf(
  messages: InboxMessage[],
  notes: ConversationNote[],
  isComplete: boolean,
): Entry[] {
  const from = isComplete ? "" : messages.at(-1)?.at ?? "";
  return [
    ...notes.filter(({ created_at }) => Date.parse(created_at) >= (Date.parse(from) || 0))
      .map((note): Entry => ({ kind: "note", id: note.note_id, at: note.created_at, note })),
    ...messages.map((message): Entry => ({
      kind: "message",
      id: message.message_id,
      at: message.at,
      message,
    })),
  ].reverse().sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
}
