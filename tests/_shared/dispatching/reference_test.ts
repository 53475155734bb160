import assert from "node:assert/strict";
import fc from "fast-check";
import { readReference, writeReference } from "../../../supabase/functions/_shared/dispatching/reference.ts";

Deno.test("readReference() reads what writeReference() wrote", () => {
  fc.assert(fc.property(fc.uuid(), fc.uuid(), (companyId, notificationId) => {
    const text = writeReference({ companyId, notificationId });

    assert.deepEqual(readReference(text), { companyId, notificationId });
    assert.equal(text.length, 73);
  }));
});

Deno.test("readReference() takes nothing that is not ours", () => {
  const [one, two] = [crypto.randomUUID(), crypto.randomUUID()];
  const foreign = [
    null,
    "",
    one,
    `${one}:`,
    `${one}:${two} `,
    `${one}:${two}\n`,
    `${one}:${two}:${one}`,
    `${one.toUpperCase()}:${two}`,
    `${one}:${two.slice(1)}`,
    "run_42:rcpt_9001",
  ];

  assert.deepEqual(foreign.map(readReference), foreign.map(() => null));
  fc.assert(fc.property(fc.string(), (text) => readReference(text) === null));
});
