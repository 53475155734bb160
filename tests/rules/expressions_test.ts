import assert from "node:assert/strict";
import { productExpressions, slownessOf } from "./expressions.ts";

Deno.test("No expression of the product takes more than linear time", async () => {
  const expressions = await productExpressions();
  const different = Map.groupBy(expressions, ({ source, flags }) => `/${source}/${flags}`);

  const known = { at: "here", source: String.raw`^\{\{\s*([^{}]*?)\s*\}\}$`, flags: "" };

  const [knownSlowness, ...slowness] = await slownessOf([
    known,
    ...[...different.values()].map(([first]) => first!),
  ]);
  const slow = [...different].flatMap(([text, places], index) =>
    slowness[index] === null ? [] : `${places.map(({ at }) => at).join(", ")}: ${text} (${slowness[index]})`
  );
  assert.equal(knownSlowness, "3rd degree polynomial");
  assert.deepEqual(slow, []);
});
