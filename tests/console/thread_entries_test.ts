import assert from "node:assert/strict";
import { entriesOf } from "../../console/screens/inbox/thread/entries.ts";
import type { ConversationNote, InboxMessage } from "../../console/data/sdk.ts";

const message = (message_id: string, at: string) => ({ message_id, at }) as InboxMessage;
const note = (note_id: string, created_at: string) => ({ note_id, created_at }) as ConversationNote;

Deno.test("notes stand between the messages of their time, whatever fractions the times have", () => {
  const messages = [message("m2", "2026-01-01T10:00:02Z"), message("m1", "2026-01-01T10:00:00.500Z")];
  const notes = [note("n2", "2026-01-01T10:00:03Z"), note("n1", "2026-01-01T10:00:01Z")];

  assert.deepEqual(entriesOf(messages, notes, true).map(({ id }) => id), ["m1", "n1", "m2", "n2"]);
});

Deno.test("notes from before the messages that are read wait until those are read", () => {
  const messages = [message("m1", "2026-01-01T10:00:00Z")];
  const notes = [note("new", "2026-01-01T11:00:00Z"), note("old", "2026-01-01T09:00:00Z")];

  assert.deepEqual(entriesOf(messages, notes, false).map(({ id }) => id), ["m1", "new"]);
  assert.deepEqual(entriesOf(messages, notes, true).map(({ id }) => id), ["old", "m1", "new"]);
  assert.deepEqual(entriesOf([], notes, true).map(({ id }) => id), ["old", "new"]);
});

Deno.test("entriesOf() keeps what was written within one second in its order", () => {
  const at = "2026-12-01T09:00:00Z";
  const newestFirst = ["third", "second", "first"].map((message_id) => ({
    message_id,
    at,
  })) as InboxMessage[];

  assert.deepEqual(entriesOf(newestFirst, [], true).map(({ id }) => id), ["first", "second", "third"]);
});
