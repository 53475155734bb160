import assert from "node:assert/strict";
import { coalesce, coalesceByKey } from "../../../supabase/functions/_shared/concurrency/coalesce.ts";

/** Work whose turns end when the test says so. */
function turns() {
  const begun: PromiseWithResolvers<void>[] = [];
  const call = coalesce(() => {
    const turn = Promise.withResolvers<void>();
    begun.push(turn);
    return turn.promise;
  });
  return { begun, call };
}

Deno.test("coalesce() shares the next run among all callers during a run, and only one", async () => {
  const { begun, call } = turns();
  const first = call();
  const during = [call(), call(), call()];
  assert.equal(begun.length, 1);

  begun[0]!.resolve();
  await first;
  const late = call();
  assert.equal(begun.length, 2, "a second turn beside the next one");

  begun[1]!.resolve();
  await Promise.all(during);
  begun[2]!.resolve();
  await late;
  assert.equal(begun.length, 3);
});

Deno.test("coalesce() runs at once when nothing runs", async () => {
  const { begun, call } = turns();
  for (const turn of [0, 1]) {
    const called = call();
    assert.equal(begun.length, turn + 1);
    begun[turn]!.resolve();
    await called;
  }
});

Deno.test("coalesce() fails all callers of a failed run, and continues with the next", async () => {
  const { begun, call } = turns();
  const first = call();
  const second = call();
  begun[0]!.reject(new Error("away"));
  await assert.rejects(first, /away/);

  begun[1]!.resolve();
  await second;
});

Deno.test("coalesceByKey() shares runs of one key, and none of different keys", async () => {
  const begun: { key: string; turn: PromiseWithResolvers<string> }[] = [];
  const call = coalesceByKey((key) => {
    const turn = Promise.withResolvers<string>();
    begun.push({ key, turn });
    return turn.promise;
  });
  const calls = [call("a"), call("b"), call("a"), call("a")];
  assert.deepEqual(begun.map(({ key }) => key), ["a", "b"]);

  begun[0]!.turn.resolve("first a");
  begun[1]!.turn.resolve("first b");
  assert.deepEqual(await Promise.all(calls.slice(0, 2)), ["first a", "first b"]);

  begun[2]!.turn.resolve("second a");
  assert.deepEqual(await Promise.all(calls.slice(2)), ["second a", "second a"]);
  const late = call("a");
  assert.equal(begun.length, 4, "a key whose callers have gone runs at once");
  begun[3]!.turn.resolve("third a");
  await late;
});
