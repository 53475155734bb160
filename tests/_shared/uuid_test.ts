import assert from "node:assert/strict";
import { validate, version } from "uuid";
import { uuidv7 } from "../../supabase/functions/_shared/uuid.ts";

Deno.test("uuidv7() creates ids of the present, each greater than the one before", () => {
  const before = Date.now();

  const ids = Array.from({ length: 20_000 }, uuidv7);

  assert.ok(ids.every((id) => validate(id) && version(id) === 7));
  assert.deepEqual(ids.toSorted(), ids);
  assert.equal(new Set(ids).size, ids.length);
  const time = parseInt(ids[0]!.replaceAll("-", "").slice(0, 12), 16);
  assert.ok(time >= before && time <= Date.now());
});
