import assert from "node:assert/strict";
import type { StoredMessage } from "../../../local/sandbox/messages/message.ts";
import { Ledger } from "../../../local/sandbox/messages/message_ledger.ts";

const KEPT = 50_000;

function message(serial: number, to: string): StoredMessage {
  const message = { id: `m${serial}`, to, biz_opaque_callback_data: `r${serial}` };
  return { message, plan: [], echo: true, wa_id: "" } as unknown as StoredMessage;
}

Deno.test("Ledger evicts the oldest messages and their phones beyond what it keeps", () => {
  const ledger = new Ledger();
  ledger.add(message(0, "+100"));
  for (let serial = 1; serial <= KEPT + 100; serial++) ledger.add(message(serial, `+2${serial % 10}`));

  assert.equal(ledger.size, KEPT);
  assert.equal(ledger.evicted, 101);
  assert.equal(ledger.phoneCount, 10);
  assert.deepEqual(ledger.find({ to: "100", limit: 10 }), []);
  assert.equal(ledger.find({ limit: 1 })[0]?.id, "m101");
  assert.deepEqual(ledger.find({ after: `m${KEPT + 99}`, limit: 10 }).map(({ id }) => id), [
    `m${KEPT + 100}`,
  ]);
  assert.equal(ledger.phones("20", 1, 3)[0]?.total, KEPT / 10);
});
