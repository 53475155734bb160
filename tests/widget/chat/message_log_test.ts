import assert from "node:assert/strict";
import fc from "fast-check";
import { createMessageLog } from "../../../widget/chat/message_log.ts";
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

Deno.test("message log has each message once and in order, however it is told", () => {
  fc.assert(fc.property(fc.array(fc.integer({ min: 1, max: 20 })), (told) => {
    const log = createMessageLog();
    log.begin([]);
    const fresh = told.flatMap((sequence) => log.add([message(sequence)]));

    const expected = [...new Set(told)].sort((a, b) => a - b);
    assert.deepEqual(log.messages.map(({ sequence }) => sequence), expected);
    assert.equal(fresh.length, expected.length);
  }));
});

Deno.test("message log asks for what comes behind the first gap", () => {
  const log = createMessageLog();
  log.begin([message(101), message(102)]);
  log.add([message(105)]);
  assert.equal(log.last, 102);

  log.add([message(103), message(104)]);

  assert.equal(log.last, 105);
});

Deno.test("message log does not skip what was written before its history came", () => {
  const log = createMessageLog();
  log.add([message(5)]);
  log.begin([message(1), message(2), message(3)]);

  assert.equal(log.last, 3);
  assert.ok(log.has("client-5") && !log.has("client-4"));
});
