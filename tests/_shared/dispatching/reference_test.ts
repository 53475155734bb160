import assert from "node:assert/strict";
import fc from "fast-check";
import { readReference, writeReference } from "../../../supabase/functions/_shared/dispatching/reference.ts";

Deno.test("readReference() reads what writeReference() wrote", () => {
  const fences = fc.option(fc.integer({ min: 1, max: 999_999_999 }));
  fc.assert(fc.property(fc.uuid(), fc.uuid(), fences, (companyId, notificationId, fence) => {
    const text = writeReference({ companyId, notificationId, fence });

    assert.deepEqual(readReference(text), { companyId, notificationId, fence });
    assert.ok(text.length <= 83);
  }));
});

Deno.test("readReference() reads a reference of earlier versions, which names no attempt", () => {
  const [companyId, notificationId] = [crypto.randomUUID(), crypto.randomUUID()];

  assert.deepEqual(readReference(`${companyId}:${notificationId}`), {
    companyId,
    notificationId,
    fence: null,
  });
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
    `${one}:${two}:`,
    `${one}:${two}:0`,
    `${one}:${two}:01`,
    `${one}:${two}:-1`,
    `${one}:${two}:1e3`,
    `${one}:${two}:1:2`,
    `${one}:${two}:1000000000`,
    `${one.toUpperCase()}:${two}`,
    `${one}:${two.slice(1)}`,
    "run_42:rcpt_9001",
  ];

  assert.deepEqual(foreign.map(readReference), foreign.map(() => null));
  fc.assert(fc.property(fc.string(), (text) => readReference(text) === null));
});
