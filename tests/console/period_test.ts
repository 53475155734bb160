import assert from "node:assert/strict";
import { sumsOf } from "../../console/data/history_sums.ts";
import { stepsOf } from "../../console/screens/overview/periods.ts";

const HOUR_MS = 3_600_000;

Deno.test("stepsOf() has an hour for each of a day, the one that goes on last, and zero where nothing happened", () => {
  const now = Date.parse("2026-12-01T10:20:00Z");
  const start = "2026-12-01T09:00:00Z";

  const steps = stepsOf([{ start, sent: 5, failed: 1 }], "24h", now);

  assert.equal(steps.length, 24);
  assert.equal(steps.at(-1)!.at, Date.parse("2026-12-01T10:00:00Z"));
  assert.deepEqual(steps.at(-2), { at: Date.parse(start), sent: 5, failed: 1 });
  assert.equal(steps.reduce((sum, { sent }) => sum + sent, 0), 5);
});

Deno.test("stepsOf() has a day from each midnight of the viewer to today's", () => {
  const now = new Date(2026, 2, 31, 10).getTime();

  const steps = stepsOf([], "7d", now);

  assert.deepEqual(steps.map(({ at }) => new Date(at).getDate()), [24, 25, 26, 27, 28, 29, 30, 31]);
  assert.ok(steps.every(({ at }) => new Date(at).getHours() === 0));
  assert.ok(steps.every(({ at }, index) => index === 0 || at - steps[index - 1]!.at >= 23 * HOUR_MS));
});

Deno.test("sumsOf() adds up what each step counts", () => {
  const row = { sent: 3, delivered: 2, read: 1, replied: 1, failed: 4 };

  assert.deepEqual(sumsOf([row, row]), { sent: 6, delivered: 4, read: 2, replied: 2, failed: 8 });
});
