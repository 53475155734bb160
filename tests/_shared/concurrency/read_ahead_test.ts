import assert from "node:assert/strict";
import { readAhead } from "../../../supabase/functions/_shared/concurrency/read_ahead.ts";
import { eventually } from "../../setup/eventually.ts";

/** Parts of ten bytes that hold their index, and how many of them were taken. */
function sourceOf(count: number, fails = false) {
  const state = { taken: 0, isClosed: false };
  async function* parts(): AsyncGenerator<Uint8Array> {
    try {
      for (let index = 0; index < count; index++) {
        await Promise.resolve();
        state.taken++;
        yield new Uint8Array(10).fill(index);
      }
      if (fails) throw new Error("broken off");
    } finally {
      state.isClosed = true;
    }
  }
  return { state, parts: parts() };
}

Deno.test("readAhead() takes as much as fits while the caller is busy, and yields every part in order", async () => {
  const { state, parts } = sourceOf(20);
  const ahead = readAhead(parts, 50);
  const first = await ahead.next();

  await eventually(() => assert.equal(state.taken, 6));

  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(state.taken, 6);
  const order = [first.value![0]];
  for await (const part of ahead) order.push(part[0]);
  assert.deepEqual(order, Array.from({ length: 20 }, (_, index) => index));
});

Deno.test("readAhead() throws the error of its source after the parts before it", async () => {
  const { parts } = sourceOf(3, true);
  const order: (number | undefined)[] = [];

  const reading = async () => {
    for await (const part of readAhead(parts, 1000)) order.push(part[0]);
  };

  await assert.rejects(reading, /broken off/);
  assert.deepEqual(order, [0, 1, 2]);
});

Deno.test("readAhead() closes its source when the caller leaves", async () => {
  const { state, parts } = sourceOf(100);

  for await (const _ of readAhead(parts, 50)) break;

  await eventually(() => assert.ok(state.isClosed));
  assert.ok(state.taken < 10);
});
