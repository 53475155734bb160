import assert from "node:assert/strict";
import { countUnread } from "../../../widget/chat/messages/count_unread.ts";
import { createParentStore } from "../../../widget/chat/stored.ts";
import type { Message } from "../../../widget/chat/schemas.ts";

const message = (sequence: number, author: Message["author"]): Message => ({
  ...{ id: `id-${sequence}`, sequence, author, text: "x", client_message_id: null },
  created_at: `2030-01-01T00:00:${String(sequence).padStart(2, "0")}Z`,
});

/** A visitor's message and two replies. */
const MESSAGES = [message(1, "visitor"), message(2, "operator"), message(3, "operator")];

function countIn(kept: Record<string, string>, isShown: boolean) {
  const counts: number[] = [];
  const store = createParentStore(
    kept,
    (name, value) => value === null ? delete kept[name] : kept[name] = value,
  );
  return { counts, unread: countUnread({ store, isShown, onCount: (count) => counts.push(count) }) };
}

Deno.test("unread counts what came after the last message that was seen, on the next visit too", () => {
  const kept: Record<string, string> = {};
  const first = countIn(kept, true);
  first.unread.update({ conversationId: "a", messages: MESSAGES.slice(0, 2) });
  first.unread.setShown(false);
  first.unread.update({ conversationId: "a", messages: MESSAGES });
  const next = countIn(kept, false);
  next.unread.update({ conversationId: "a", messages: MESSAGES });
  next.unread.setShown(true);

  assert.deepEqual([first.counts, next.counts], [[0, 1], [1, 0]]);
  assert.equal(kept.last_message_at, MESSAGES[2]!.created_at);
});

Deno.test("unread says nothing before the messages are there, and begins anew with a new conversation", () => {
  const { counts, unread } = countIn({ seen: "a 3" }, false);
  unread.update({ conversationId: undefined, messages: [] });
  unread.update({ conversationId: "b", messages: [] });
  assert.equal(counts.length, 0);

  unread.update({ conversationId: "b", messages: MESSAGES.slice(0, 2) });
  assert.deepEqual(counts, [1]);
});
