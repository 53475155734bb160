import assert from "node:assert/strict";
import { readSchema } from "../../cli/schema/read_schema.ts";

/** From `create function` to the `$$;` that ends it. */
const MAX_LINES = 120;

/** Functions that are still longer. The list only shrinks: a name leaves it with the change that splits its function. */
const TOO_LONG = [
  "accept_notifications",
  "apply_platform_events",
  "claim_notifications",
  "finish_notifications",
];

/** Returns how many lines each function of a file of the schema has. */
function lengthsOf(text: string): { name: string; lines: number }[] {
  return [...text.matchAll(/^create function outbound\.(\w+)\([\s\S]*?\n\$\$;$/gm)]
    .map(([body, name]) => ({ name: name!, lines: body.split("\n").length }));
}

Deno.test(`no SQL function has more than ${MAX_LINES} lines`, async () => {
  const functions = (await readSchema()).flatMap(({ text }) => lengthsOf(text));

  assert.ok(functions.length > 200, `${functions.length} functions`);
  const long = functions.filter(({ lines }) => lines > MAX_LINES);
  assert.deepEqual(long.map(({ name }) => name).sort(), TOO_LONG, JSON.stringify(long));
});
