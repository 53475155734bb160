import assert from "node:assert/strict";
import { createBatcher } from "../../../supabase/functions/_shared/concurrency/batcher.ts";

/** A `run` that doubles numbers, fails for negative ones, and waits until `open` is called. */
function gatedDouble() {
  const calls: number[][] = [];
  const gates: (() => void)[] = [];
  const run = async (items: number[]) => {
    calls.push(items);
    await new Promise<void>((resolve) => gates.push(resolve));
    if (items.some((item) => item < 0)) throw new RangeError(`no ${items}`);
    return items.map((item) => item * 2);
  };
  const open = async () => {
    while (gates.length > 0) {
      gates.shift()!();
      for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    }
  };
  return { calls, run, open };
}

Deno.test("createBatcher() lets a lone item go at once and gathers what comes meanwhile", async () => {
  const { calls, run, open } = gatedDouble();
  const batcher = createBatcher(run, { maxItems: 10 });

  const results = [1, 2, 3].map((item) => batcher.add(item));
  await open();

  assert.deepEqual(await Promise.all(results), [2, 4, 6]);
  assert.deepEqual(calls, [[1], [2, 3]]);
});

Deno.test("createBatcher() gives no call more than it may take, in the order of arrival", async () => {
  const { calls, run, open } = gatedDouble();
  const batcher = createBatcher(run, { maxItems: 2 });

  const results = [1, 2, 3, 4, 5, 6].map((item) => batcher.add(item));
  await open();

  assert.deepEqual(await Promise.all(results), [2, 4, 6, 8, 10, 12]);
  assert.deepEqual(calls, [[1], [2, 3], [4, 5], [6]]);
});

Deno.test("createBatcher() lets one bad item fail alone", async () => {
  const { calls, run, open } = gatedDouble();
  const batcher = createBatcher(run, { maxItems: 10 });

  const results = Promise.allSettled([1, 2, -3, 4].map((item) => batcher.add(item)));
  await open();

  assert.deepEqual((await results).map((result) => result.status), [
    "fulfilled",
    "fulfilled",
    "rejected",
    "fulfilled",
  ]);
  assert.deepEqual(calls, [[1], [2, -3, 4], [2], [-3], [4]]);
});

Deno.test("createBatcher() does not try alone what fails for another reason than its items", async () => {
  const { calls, run, open } = gatedDouble();
  const batcher = createBatcher(run, { maxItems: 10, isOfOneItem: () => false });

  const results = Promise.allSettled([1, 2, -3, 4].map((item) => batcher.add(item)));
  await open();

  assert.deepEqual((await results).map((result) => result.status), [
    "fulfilled",
    "rejected",
    "rejected",
    "rejected",
  ]);
  assert.deepEqual(calls, [[1], [2, -3, 4]]);
});

Deno.test("createBatcher() goes on after a failure", async () => {
  const { run, open } = gatedDouble();
  const batcher = createBatcher(run, { maxItems: 10 });
  const failed = assert.rejects(batcher.add(-1), RangeError);
  await open();
  await failed;

  const next = batcher.add(5);
  await open();

  assert.equal(await next, 10);
});

Deno.test("idle() of a batcher waits for what is under way and what comes meanwhile", async () => {
  const { run, open } = gatedDouble();
  const batcher = createBatcher(run, { maxItems: 10 });
  await batcher.idle();
  const done: number[] = [];
  for (const item of [1, 2]) void batcher.add(item).then((result) => done.push(result));

  const idle = batcher.idle();
  await open();
  await idle;

  assert.deepEqual(done, [2, 4]);
});

Deno.test("createBatcher() starts the next call before it returns the results of the last one", async () => {
  const order: string[] = [];
  const { run, open } = gatedDouble();
  const batcher = createBatcher(async (items: number[]) => {
    order.push(`call ${items}`);
    return await run(items);
  }, { maxItems: 10 });

  const results = [1, 2].map((item) => batcher.add(item).then(() => order.push(`result ${item}`)));
  await open();
  await Promise.all(results);

  assert.deepEqual(order, ["call 1", "call 2", "result 1", "result 2"]);
});
