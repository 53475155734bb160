import assert from "node:assert/strict";
import { createKeyCounter } from "../../../supabase/functions/_shared/concurrency/key_counter.ts";

Deno.test("createKeyCounter() refuses a task beyond those of its key, and beyond all, and says which", () => {
  const counter = createKeyCounter({ perKey: 2, total: 3 });
  const take = (key: string) => {
    const release = counter.take(key);
    return typeof release === "function" ? release : assert.fail(release);
  };
  const first = take("a");
  take("a");

  assert.equal(counter.take("a"), "key");
  const other = take("b");
  assert.equal(counter.take("c"), "all");
  other();
  take("c");
  first();
  take("a");
  assert.equal(counter.take("a"), "key");
});
