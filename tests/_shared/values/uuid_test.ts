import assert from "node:assert/strict";
import { firstIdAt, uuidv7 } from "../../../supabase/functions/_shared/values/uuid.ts";

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

Deno.test("firstIdAt() returns an id that no id of this time or later is less than", () => {
  const now = Date.now();

  const id = uuidv7();

  assert.ok(firstIdAt(new Date(now)) <= id && id < firstIdAt(new Date(Date.now() + 1)));
  assert.equal(firstIdAt(new Date(-1)), firstIdAt(new Date(0)));
  assert.match(firstIdAt(new Date("2026-12-01T00:00:00Z")), V7);
});
