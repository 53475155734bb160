import assert from "node:assert/strict";
import { productExpressions, readSources, slownessOf } from "./expressions.ts";

Deno.test("The check finds expressions that take more than linear time", async () => {
  const text = String.raw`
    const REFERENCE = /^\{\{\s*([^{}]*?)\s*\}\}$/;
    const header = line.match(/^([a-z-]+):[ \t]*([^\0\r]*)$/i);
    const comment = /\/\*[\s\S]*?\*\//g;
    const twice = <p title={/^(a|a)*$/.source} />;
    const linear = /^[a-z]+ [a-z]+$/;
  `;

  const [example] = await readSources([{ file: "example.tsx", text }]);
  const slowness = await slownessOf(example!.written);

  assert.deepEqual(example!.written.map(({ at }, index) => [at, slowness[index]]), [
    ["example.tsx:2", "3rd degree polynomial"],
    ["example.tsx:3", "2nd degree polynomial"],
    ["example.tsx:4", "2nd degree polynomial"],
    ["example.tsx:5", "exponential"],
    ["example.tsx:6", null],
  ]);
});

Deno.test("No expression of the product takes more than linear time", async () => {
  const expressions = await productExpressions();
  const different = Map.groupBy(expressions, ({ source, flags }) => `/${source}/${flags}`);

  const slowness = await slownessOf([...different.values()].map(([first]) => first!));
  const slow = [...different].flatMap(([text, places], index) =>
    slowness[index] === null ? [] : `${places.map(({ at }) => at).join(", ")}: ${text} (${slowness[index]})`
  );
  assert.deepEqual(slow, []);
});
