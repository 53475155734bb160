import assert from "node:assert/strict";
import { createKeyCounter } from "../../../supabase/functions/_shared/concurrency/key_counter.ts";

Deno.test("createKeyCounter() refuses a task beyond those of its key, and beyond all", () => {
  const counter = createKeyCounter({ perKey: 2, total: 3 });
  const first = counter.take("a");
  counter.take("a");

  assert.equal(counter.take("a"), null);
  const other = counter.take("b");
  assert.equal(counter.take("c"), null);
  other!();
  assert.notEqual(counter.take("c"), null);
  first!();
  assert.notEqual(counter.take("a"), null);
  assert.equal(counter.take("a"), null);
});
