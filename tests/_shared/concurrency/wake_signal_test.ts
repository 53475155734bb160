import assert from "node:assert/strict";
import { createWakeSignal } from "../../../supabase/functions/_shared/concurrency/wake_signal.ts";

const LONG_MS = 60_000;

Deno.test("createWakeSignal() wakes all that wait", async () => {
  const wake = createWakeSignal();
  const waiting = [wake.wait(LONG_MS), wake.wait(LONG_MS)];

  wake.notify();

  await Promise.all(waiting);
});

Deno.test("createWakeSignal() remembers one notify for the next to wait", async () => {
  const wake = createWakeSignal();
  wake.notify();
  wake.notify();
  await wake.wait(LONG_MS);
  const controller = new AbortController();
  let woken = false;

  const second = wake.wait(LONG_MS, controller.signal).then(() => woken = true);
  await Promise.resolve();

  assert.equal(woken, false);
  controller.abort();
  await second;
});

Deno.test("createWakeSignal() does not keep the notify that woke a waiter", async () => {
  const wake = createWakeSignal();
  const first = wake.wait(LONG_MS);
  wake.notify();
  await first;
  const started = performance.now();

  await wake.wait(30);

  assert.ok(performance.now() - started >= 25);
});

Deno.test("createWakeSignal() lets one waiter's end leave the others waiting", async () => {
  const wake = createWakeSignal();
  const controller = new AbortController();
  const patient = wake.wait(LONG_MS);
  const aborted = wake.wait(LONG_MS, controller.signal);
  controller.abort();
  await aborted;

  wake.notify();

  await patient;
});

Deno.test("createWakeSignal() does not wait under a signal that was aborted before", async () => {
  await createWakeSignal().wait(LONG_MS, AbortSignal.abort());
});
