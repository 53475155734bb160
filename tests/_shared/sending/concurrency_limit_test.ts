import assert from "node:assert/strict";
import {
  type ConcurrencyLimit,
  createConcurrencyLimit,
} from "../../../supabase/functions/_shared/sending/concurrency_limit.ts";

function finish(limit: ConcurrencyLimit, count: number): void {
  for (let n = 0; n < count; n++) limit.finished();
}

/** Claims all it may as long as there is work without end. */
function fill(limit: ConcurrencyLimit): void {
  for (let free = limit.free(); free > 0; free = limit.free()) limit.started(free, free);
}

Deno.test("createConcurrencyLimit() starts small and doubles while there is more to send", () => {
  const limit = createConcurrencyLimit();
  const limits: number[] = [];
  for (let round = 0; round < 6; round++) {
    const free = limit.free();
    limit.started(free, free);
    limits.push(free);
    finish(limit, limit.inFlight());
  }

  assert.deepEqual(limits, [32, 64, 128, 256, 512, 512]);
});

Deno.test("createConcurrencyLimit() never has more than 512 in flight", () => {
  const limit = createConcurrencyLimit();

  fill(limit);

  assert.equal(limit.inFlight(), 512);
  assert.equal(limit.free(), 0);
});

Deno.test("createConcurrencyLimit() is free again only when a quarter has finished", () => {
  const limit = createConcurrencyLimit();
  fill(limit);
  finish(limit, 127);
  const early = limit.free();
  finish(limit, 1);

  assert.deepEqual([early, limit.free()], [0, 128]);
});

Deno.test("createConcurrencyLimit() halves when there is little to send, down to 32", () => {
  const limit = createConcurrencyLimit();
  fill(limit);
  finish(limit, 512);

  for (let round = 0; round < 6; round++) {
    limit.started(1, limit.free());
    limit.finished();
  }

  assert.equal(limit.free(), 32);
});

Deno.test("createConcurrencyLimit() stays as it is when a claim comes back empty", () => {
  const limit = createConcurrencyLimit();
  fill(limit);
  finish(limit, 512);

  limit.started(0, limit.free());

  assert.equal(limit.free(), 512);
});

/** Longer than the test takes. */
const LONG_MS = 60_000;

Deno.test("untilFree() resolves when there is room, when it is aborted, or when it has waited long enough", async () => {
  const limit = createConcurrencyLimit();
  const never = new AbortController().signal;
  assert.equal(await limit.untilFree(LONG_MS, never), true);
  fill(limit);
  const controller = new AbortController();
  const [freed, aborted] = [
    limit.untilFree(LONG_MS, never),
    limit.untilFree(LONG_MS, controller.signal),
  ];

  controller.abort();
  assert.equal(await aborted, false);
  assert.equal(await limit.untilFree(1, never), false);
  finish(limit, 128);
  assert.equal(await freed, true);
});

Deno.test("idle() resolves when nothing is in flight", async () => {
  const limit = createConcurrencyLimit();
  await limit.idle();
  limit.started(2, 32);
  let isIdle = false;
  const all = limit.idle().then(() => isIdle = true);
  limit.finished();
  await Promise.resolve();
  assert.equal(isIdle, false);

  limit.finished();

  await all;
});
