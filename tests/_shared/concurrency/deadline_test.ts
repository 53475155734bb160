import assert from "node:assert/strict";
import { startDeadline } from "../../../supabase/functions/_shared/concurrency/deadline.ts";

/** The name of the reason for which a signal was aborted, as soon as it is. */
async function reasonOf(signal: AbortSignal): Promise<string> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve));
  return signal.reason.name;
}

Deno.test("startDeadline() ends with a TimeoutError, not before its time", async () => {
  const begun = performance.now();
  const deadline = startDeadline(40);

  assert.equal(await reasonOf(deadline.signal), "TimeoutError");
  assert.ok(performance.now() - begun >= 39);
  deadline.clear();
});

Deno.test("startDeadline() goes on for those who still wait when others of the same moment are over", async () => {
  const [first, second] = [startDeadline(40), startDeadline(40)];
  first.clear();

  assert.equal(await reasonOf(second.signal), "TimeoutError");
  second.clear();
});

Deno.test("startDeadline() shares nothing with one that is over, nor with one of another length", () => {
  const over = startDeadline(60_000);
  over.clear();
  const [next, longer] = [startDeadline(60_000), startDeadline(90_000)];

  assert.equal(new Set([over.signal, next.signal, longer.signal]).size, 3);
  next.clear();
  longer.clear();
});

Deno.test("startDeadline() is over by the later of the wall clock and the monotonic clock", () => {
  const { now } = Date;
  const deadline = startDeadline(60_000);
  try {
    const before = deadline.isOver();
    Date.now = () => now() + 70_000;

    assert.deepEqual([before, deadline.isOver(), deadline.signal.aborted], [false, true, false]);
  } finally {
    Date.now = now;
    deadline.clear();
  }
});

Deno.test("startDeadline() calls onEnd of those that still wait, once", async () => {
  const ended: string[] = [];
  const [first, second] = [startDeadline(30), startDeadline(30)];
  first.onEnd = () => ended.push("first");
  second.onEnd = () => ended.push("second");
  first.clear();
  await reasonOf(second.signal);
  await Promise.resolve();

  assert.deepEqual([ended, second.isOver()], [["second"], true]);
  second.clear();
});

Deno.test("startDeadline() ends with an AbortError for the caller who stops only", async () => {
  const stop = new AbortController();
  const [mine, other] = [startDeadline(60_000, stop.signal), startDeadline(60_000)];

  stop.abort();

  assert.equal(await reasonOf(mine.signal), "AbortError");
  assert.equal(other.signal.aborted, false);
  mine.clear();
  other.clear();
});
