import assert from "node:assert/strict";
import { uuidv7 } from "../../../supabase/functions/_shared/values/uuid.ts";

const V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

Deno.test("uuidv7() creates ids of the present, each greater than the one before", () => {
  const before = Date.now();

  const ids = Array.from({ length: 20_000 }, uuidv7);

  assert.ok(ids.every((id) => V7.test(id)));
  assert.deepEqual(ids.toSorted(), ids);
  assert.equal(new Set(ids).size, ids.length);
  const time = parseInt(ids[0]!.replaceAll("-", "").slice(0, 12), 16);
  assert.ok(time >= before && time <= Date.now());
});
