import assert from "node:assert/strict";
import { skipped } from "../setup/skipped.ts";
import { findBinary } from "../setup/find_binary.ts";
import { readPanels } from "./board.ts";
import { OPS } from "./with_prometheus.ts";

/** The commands of promtool, each with its file. */
const CHECKS = [
  ["check", "config", "prometheus.yml"],
  ["check", "rules", "alerts.yml"],
  ["test", "rules", "alerts_test.yml"],
];

for (const args of CHECKS) {
  Deno.test(`promtool ${args.join(" ")} finds nothing wrong`, async () => {
    const promtool = await findBinary("promtool");
    if (promtool === undefined) return skipped(`promtool ${args.join(" ")}`, "no promtool found");

    const output = await new Deno.Command(promtool, { args, cwd: `${OPS}/prometheus` }).output();

    const text = [output.stdout, output.stderr].map((bytes) => new TextDecoder().decode(bytes)).join("");
    assert.equal(output.code, 0, text);
  });
}

Deno.test("the board: every panel says what it shows, in which unit, and none lies on another", async () => {
  const panels = await readPanels();

  assert.ok(panels.length > 30);
  const silent = panels.filter(({ type, description }) => type !== "row" && !description);
  assert.deepEqual(silent.map(({ title }) => title), []);
  const unitless = panels.filter(({ type, fieldConfig }) =>
    ["stat", "timeseries"].includes(type) && !fieldConfig?.defaults.unit
  );
  assert.deepEqual(unitless.map(({ title }) => title), []);
  const taken = new Set<string>();
  for (const { gridPos: { x, y, w, h }, title } of panels) {
    for (let cell = 0; cell < w * h; cell++) {
      const position = `${x + cell % w},${y + Math.floor(cell / w)}`;
      assert.ok(!taken.has(position) && x + w <= 24, `${title} lies on another panel or sticks out`);
      taken.add(position);
    }
  }
});
