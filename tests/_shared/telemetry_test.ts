import assert from "node:assert/strict";
import { codeLabel } from "../../supabase/functions/_shared/telemetry/metrics.ts";
import { createCounter, createHistogram } from "../../supabase/functions/_shared/telemetry/series.ts";

Deno.test("createCounter() counts per combination of labels", () => {
  const counter = createCounter("x_total", "x", { a: [], b: [] });
  counter.add(["1", "2"]);
  counter.add(["1", "2"], 4);
  counter.add(["1", "3"]);

  assert.deepEqual([...counter.series()].map(({ labels, value }) => [...labels, value]), [["1", "2", 5], [
    "1",
    "3",
    1,
  ]]);
});

Deno.test("createCounter() begins at zero for every combination of values that are known", () => {
  const series = (labels: Record<string, string[]>) =>
    [...createCounter("x_total", "x", labels).series()].map(({ labels, value }) => [...labels, value]);

  assert.deepEqual(series({}), [[0]]);
  assert.deepEqual(series({ a: ["1", "2"], b: ["3", "4"] }), [["1", "3", 0], ["1", "4", 0], ["2", "3", 0], [
    "2",
    "4",
    0,
  ]]);
  assert.deepEqual(series({ a: ["1"], b: [] }), []);
});

Deno.test("createCounter() puts labels beyond any expectation together, so that memory is bounded", () => {
  const counter = createCounter("x_total", "x", { a: [] });
  for (let index = 0; index < 10_000; index++) counter.add([String(index)]);

  const series = [...counter.series()];
  assert.ok(series.length <= 2001);
  assert.deepEqual(series.at(-1), { labels: ["other"], value: 8000 });
});

Deno.test("createHistogram() puts a value on a bound into the bucket below it", () => {
  const histogram = createHistogram("x_seconds", "x", { bounds: [1, 2] });
  for (const seconds of [0, 1, 1.5, 2, 3]) histogram.observe([], seconds);

  const [series] = [...histogram.series()];
  assert.deepEqual(series!.value, { counts: [2, 2, 1], sum: 7.5, count: 5 });
});

Deno.test("codeLabel() lets codes through, and no text", () => {
  const given = [
    "131026",
    "frequency_cap",
    null,
    "Recipient +34 600111222 unknown",
    "a".repeat(80),
    "34600111222",
  ];

  assert.deepEqual(given.map(codeLabel), ["131026", "frequency_cap", "none", "other", "other", "other"]);
});
