import assert from "node:assert/strict";
import fc from "fast-check";
import { addHistory, addMessages, EMPTY_LOG, hasMessage } from "../../../widget/chat/messages/message_log.ts";
import type { Message } from "../../../widget/chat/schemas.ts";

function message(sequence: number): Message {
  return {
    id: `id-${sequence}`,
    sequence,
    author: "visitor",
    text: String(sequence),
    created_at: "2030-01-01T00:00:00Z",
    client_message_id: `client-${sequence}`,
  };
}

Deno.test("message log has each message once and in order, however often it is received", () => {
  fc.assert(fc.property(fc.array(fc.integer({ min: 1, max: 20 })), (received) => {
    let log = addHistory(EMPTY_LOG, []);
    const fresh = received.filter((sequence) => {
      const before = log;
      log = addMessages(log, [message(sequence)]);
      return log !== before;
    });

    const expected = [...new Set(received)].sort((a, b) => a - b);
    assert.deepEqual(log.messages.map(({ sequence }) => sequence), expected);
    assert.equal(fresh.length, expected.length);
  }));
});

Deno.test("message log requests what follows the first gap", () => {
  const gap = addMessages(addHistory(EMPTY_LOG, [message(101), message(102)]), [message(105)]);
  assert.equal(gap.last, 102);

  assert.equal(addMessages(gap, [message(103), message(104)]).last, 105);
});

Deno.test("message log does not skip messages that were sent before its history was loaded", () => {
  const log = addHistory(addMessages(EMPTY_LOG, [message(5)]), [message(1), message(2), message(3)]);

  assert.equal(log.last, 3);
  assert.ok(hasMessage(log, "client-5") && !hasMessage(log, "client-4"));
});
