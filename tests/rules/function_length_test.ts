import assert from "node:assert/strict";
import { readSchema } from "../../cli/schema/read_schema.ts";

/** From `create function` to the `$$;` that ends it. */
const MAX_LINES = 120;

/** Returns how many lines each function of a file of the schema has. */
function lengthsOf(text: string): { name: string; lines: number }[] {
  return [...text.matchAll(/^create function outbound\.(\w+)\([\s\S]*?\n\$\$;$/gm)]
    .map(([body, name]) => ({ name: name!, lines: body.split("\n").length }));
}

Deno.test(`no SQL function has more than ${MAX_LINES} lines`, async () => {
  const functions = (await readSchema()).flatMap(({ text }) => lengthsOf(text));

  assert.ok(functions.length > 200, `${functions.length} functions`);
  const long = functions.filter(({ lines }) => lines > MAX_LINES);
  assert.deepEqual(long, []);
});
