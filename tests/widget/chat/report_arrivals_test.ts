import assert from "node:assert/strict";
import { reportArrivals } from "../../../widget/chat/messages/report_arrivals.ts";
import type { Message } from "../../../widget/chat/schemas.ts";

const message = (sequence: number, author: Message["author"]): Message => ({
  ...{ id: `id-${sequence}`, sequence, author, text: "x", client_message_id: `client-${sequence}` },
  created_at: "2030-01-01T00:00:00Z",
});

/** Takes conversations one after the other, and returns the authors of what was reported after each. */
function arrivals(
  steps: { id?: string; connection?: string; messages?: Message[]; pending?: string[] }[],
): string[][] {
  const authors: string[] = [];
  const update = reportArrivals(({ author }) => authors.push(author));
  return steps.map(({ id, connection = "online", messages = [], pending = [] }) => {
    update({ conversationId: id, connection, messages, pending: pending.map((id) => ({ id })) });
    return authors.splice(0);
  });
}

const EARLIER = [message(1, "visitor"), message(2, "operator")];

Deno.test("reportArrivals() reports what arrives after the history, each once", () => {
  const reply = message(3, "operator");

  assert.deepEqual(
    arrivals([
      { id: "a", connection: "connecting" },
      { id: "a", messages: EARLIER },
      { id: "a", messages: [...EARLIER, reply] },
      { id: "a", messages: [...EARLIER, reply] },
    ]),
    [[], [], ["operator"], []],
  );
});

Deno.test("reportArrivals() reports the first message of a new conversation, and a reply that is as quick", () => {
  assert.deepEqual(
    arrivals([
      { connection: "idle", pending: ["client-1"] },
      { id: "a", connection: "connecting", pending: ["client-1"] },
      { id: "a", messages: EARLIER },
    ]),
    [[], [], ["visitor", "operator"]],
  );
});

Deno.test("reportArrivals() leaves out the history that is loaded after the visitor's next message", () => {
  const own = message(3, "visitor");

  assert.deepEqual(
    arrivals([
      { id: "a", connection: "connecting", pending: ["client-3"] },
      { id: "a", connection: "connecting", messages: [own] },
      { id: "a", messages: [...EARLIER, own] },
    ]),
    [[], ["visitor"], []],
  );
});

Deno.test("reportArrivals() begins anew with another conversation", () => {
  assert.deepEqual(
    arrivals([
      { id: "a", messages: EARLIER },
      { id: "b", connection: "connecting" },
      { id: "b", messages: [] },
      { id: "b", messages: [message(1, "system")] },
    ]),
    [[], [], [], ["system"]],
  );
});
