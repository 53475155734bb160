import assert from "node:assert/strict";
import { entryOf, readEntry } from "../../console/data/entries.ts";

Deno.test("a reload while the next page is read ends that reading, and reads the first page", async () => {
  const entry = entryOf("list", () => Promise.resolve(["newer"]));
  const page = Promise.withResolvers<string[]>();

  const more = readEntry(entry, () => page.promise);
  await readEntry(entry);
  page.resolve(["older"]);
  await more;

  assert.deepEqual(entry.data.value, ["newer"]);
});
