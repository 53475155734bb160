import assert from "node:assert/strict";
import { repeat } from "../../../supabase/functions/_shared/concurrency/repeat.ts";
import { collectLog } from "../../setup/stack/collect_log.ts";
import { eventually } from "../../setup/eventually.ts";

const CHORE = { name: "test", everyMs: 5 };

Deno.test("repeat() runs at once, and again after a failure, which it logs", async () => {
  const { log, entries } = collectLog();
  let runs = 0;

  const repetition = repeat(log, CHORE, () => {
    runs++;
    return runs === 1 ? Promise.reject(new Error("once")) : Promise.resolve();
  });
  assert.equal(runs, 1);
  await eventually(() => Promise.resolve(assert.ok(runs > 2)));
  await repetition.stop();

  assert.deepEqual(entries.map(({ message, chore }) => [message, chore]), [[
    "a repeated chore failed",
    "test",
  ]]);
});

Deno.test("repeat() never runs twice at a time, and stop() aborts the run and waits for it", async () => {
  let [runs, ended] = [0, false];

  const repetition = repeat(collectLog().log, CHORE, async (stopping) => {
    runs++;
    await new Promise((resolve) => stopping.addEventListener("abort", resolve));
    await Promise.resolve();
    ended = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 4 * CHORE.everyMs));
  await repetition.stop();

  assert.deepEqual([runs, ended], [1, true]);
});
