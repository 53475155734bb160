import assert from "node:assert/strict";
import { createWindowCounter } from "../../../supabase/functions/_shared/concurrency/window_counter.ts";

Deno.test("WindowCounter.count() refuses one use too many until its window ends", () => {
  let at = 5000;
  const counter = createWindowCounter({ windowMs: 60_000, maxSubjects: 10, now: () => at });

  assert.deepEqual([counter.count("a", 2), counter.count("a", 2), counter.count("a", 2)], [0, 0, 60]);
  assert.equal(counter.count("b", 2), 0);
  at += 59_500;
  assert.equal(counter.count("a", 2), 1);
  at += 500;
  assert.equal(counter.count("a", 2), 0);
});

Deno.test("WindowCounter.count() remembers so many subjects and forgets the oldest", () => {
  let at = 0;
  const counter = createWindowCounter({ windowMs: 1000, maxSubjects: 2, now: () => at });
  counter.count("a", 1);
  counter.count("b", 1);
  at = 1000;
  counter.count("a", 1);
  counter.count("c", 1);

  assert.deepEqual([counter.count("a", 1), counter.count("c", 1), counter.count("b", 1)], [1, 1, 0]);
});

Deno.test("WindowCounter.add() counts several uses at once, waitS() counts none", () => {
  let at = 0;
  const counter = createWindowCounter({ windowMs: 1000, maxSubjects: 2, now: () => at });
  counter.add("a", 2.5);

  assert.deepEqual([counter.waitS("a", 3), counter.waitS("a", 3), counter.waitS("b", 0)], [0, 0, 0]);
  counter.add("a", 0.5);
  assert.equal(counter.waitS("a", 3), 1);
  at = 1000;
  assert.equal(counter.waitS("a", 3), 0);
});
