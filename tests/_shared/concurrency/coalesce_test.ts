import assert from "node:assert/strict";
import { coalesce } from "../../../supabase/functions/_shared/concurrency/coalesce.ts";

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
