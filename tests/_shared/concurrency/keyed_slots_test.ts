import assert from "node:assert/strict";
import {
  createKeyedSlots,
  NoSlotError,
} from "../../../supabase/functions/_shared/concurrency/keyed_slots.ts";

/** Work that records when it starts, and ends on demand. */
function createWork() {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const work = (name: string) => () => {
    started.push(name);
    return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
  };
  return { started, work, end: (name: string) => ends.get(name)!() };
}

/** Lets what was just freed go on. */
const settle = () => new Promise((resolve) => setTimeout(resolve));

const OPTIONS = { slots: 2, maxWaiting: 2, waitMs: 60_000 };

Deno.test("createKeyedSlots() runs one of each key and so many altogether, the others in order", async () => {
  const { started, work, end } = createWork();
  const slots = createKeyedSlots(OPTIONS);
  const names = ["a1", "a2", "b1", "c1"];
  const results = names.map((name) => slots.run(name[0]!, work(name)));
  await settle();

  assert.deepEqual(started, ["a1", "b1"]);
  end("b1");
  await settle();
  assert.deepEqual(started, ["a1", "b1", "c1"]);
  end("a1");
  await settle();
  assert.deepEqual(started, ["a1", "b1", "c1", "a2"]);
  end("a2");
  end("c1");
  assert.deepEqual(await Promise.all(results), names);
});

Deno.test("createKeyedSlots() refuses at once when too many of a key wait, and no other key", async () => {
  const { work, end } = createWork();
  const slots = createKeyedSlots({ ...OPTIONS, slots: 1 });
  const running = slots.run("a", work("a1"));
  const waiting = [slots.run("a", work("a2")), slots.run("a", work("a3"))];

  await assert.rejects(slots.run("a", work("a4")), NoSlotError);
  const other = slots.run("b", work("b1"));
  for (const name of ["a1", "a2", "a3", "b1"]) {
    await settle();
    end(name);
  }
  assert.deepEqual(await Promise.all([running, ...waiting, other]), ["a1", "a2", "a3", "b1"]);
});

Deno.test("createKeyedSlots() lets no task wait too long, and gives a slot of failed work to the next", async () => {
  const { started, work, end } = createWork();
  const slots = createKeyedSlots({ ...OPTIONS, waitMs: 1 });
  const running = slots.run("a", work("a1"));

  await assert.rejects(slots.run("a", work("a2")), NoSlotError);
  end("a1");
  await running;
  await assert.rejects(slots.run("a", () => Promise.reject(new Error("failed"))), /failed/);
  const last = slots.run("a", work("a3"));
  await settle();
  end("a3");

  assert.equal(await last, "a3");
  assert.deepEqual(started, ["a1", "a3"]);
});
