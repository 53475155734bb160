import assert from "node:assert/strict";
import {
  fillVariables,
  missingVariables,
} from "../../../../local/sandbox/voice/conversations/fill_variables.ts";

Deno.test("fillVariables() puts in text, numbers and booleans, once, and leaves what has no value", () => {
  const values = { name: "{{age}}", age: 0, vip: false };

  assert.equal(fillVariables("{{name}} {{ age }} {{vip}} {{none}}", values), "{{age}} 0 false {{none}}");
});

Deno.test("fillVariables() takes a value that looks like a replacement pattern as it is", () => {
  assert.equal(fillVariables("Pay {{amount}}.", { amount: "$& $1" }), "Pay $& $1.");
});

Deno.test("missingVariables() names each variable without a value once, and no inherited one", () => {
  assert.deepEqual(missingVariables("{{a}} {{b}} {{a}} {{toString}}", { b: 1 }), ["a", "toString"]);
});
