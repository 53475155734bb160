import assert from "node:assert/strict";
import { fillVariables, slashAt, variablesOf } from "../../console/screens/inbox/canned/fill.ts";

Deno.test("fills the variables of a canned reply that have a value, and keeps the others", () => {
  const text = "Hello {{name}}, your {{ city }} order {{order}}. {{name}}!";

  const filled = fillVariables(text, { name: "Ana $&", city: "Madrid", order: undefined });

  assert.equal(filled, "Hello Ana $&, your Madrid order {{order}}. Ana $&!");
  assert.deepEqual(variablesOf(filled), ["order"]);
});

Deno.test("a slash asks for canned replies at the beginning of a word only, up to the caret", () => {
  assert.deepEqual(slashAt("/", 1), { from: 0, typed: "" });
  assert.deepEqual(slashAt("Hello\n/Ho", 9), { from: 6, typed: "ho" });
  assert.deepEqual(slashAt("/hours and more", 4), { from: 0, typed: "hou" });
  for (const text of ["and/or", "https://x", "/two words", ""]) {
    assert.equal(slashAt(text, text.length), undefined, text);
  }
});

Deno.test("a long text of slashes and spaces is looked through at once", () => {
  const begin = performance.now();
  slashAt(`${" /".repeat(10_000)}!`, 20_001);
  slashAt(`/${"a".repeat(10_000)}!`, 10_002);
  assert.ok(performance.now() - begin < 200);
});
