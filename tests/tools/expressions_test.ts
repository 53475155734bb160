import assert from "node:assert/strict";
import { checkSync } from "recheck";
import { type Expression, productExpressions, readSource } from "./expressions.ts";

/** A busy machine may take its time; an idle one takes 2 s for the slowest expression. */
const TIMEOUT_MS = 60_000;

/** Returns why an expression may take more than linear time on some text; undefined for one that never does. */
function slownessOf({ source, flags }: Expression): string | undefined {
  const result = checkSync(source, flags, { timeout: TIMEOUT_MS });
  if (result.status === "safe") return undefined;
  return result.status === "vulnerable" ? result.complexity.summary : result.error.kind;
}

// The checker keeps a thread of its own for all tests, where it has no native program.
const KEEPS_THREAD = { sanitizeResources: false, sanitizeOps: false };

Deno.test("The check finds expressions that take more than linear time", KEEPS_THREAD, () => {
  const text = String.raw`
    const REFERENCE = /^\{\{\s*([^{}]*?)\s*\}\}$/;
    const header = line.match(/^([a-z-]+):[ \t]*([^\0\r]*)$/i);
    const comment = /\/\*[\s\S]*?\*\//g;
    const twice = <p title={/^(a|a)*$/.source} />;
    const linear = /^[a-z]+ [a-z]+$/;
  `;

  const { written } = readSource("example.tsx", text);

  assert.deepEqual(written.map((each) => [each.at, slownessOf(each)]), [
    ["example.tsx:2", "3rd degree polynomial"],
    ["example.tsx:3", "2nd degree polynomial"],
    ["example.tsx:4", "2nd degree polynomial"],
    ["example.tsx:5", "exponential"],
    ["example.tsx:6", undefined],
  ]);
});

Deno.test("No expression of the product takes more than linear time", KEEPS_THREAD, async () => {
  const expressions = await productExpressions();
  const different = Map.groupBy(expressions, ({ source, flags }) => `/${source}/${flags}`);

  const slow = [...different].flatMap(([text, places]) => {
    const slowness = slownessOf(places[0]!);
    return slowness === undefined ? [] : [`${places.map(({ at }) => at).join(", ")}: ${text} (${slowness})`];
  });
  assert.deepEqual(slow, []);
});
