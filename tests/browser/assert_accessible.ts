import assert from "node:assert/strict";
import axe from "axe-core";
import type { Frame } from "playwright-core";

/** Fails when axe-core finds something serious or critical in a frame. */
export async function assertAccessible(frame: Frame): Promise<void> {
  await frame.evaluate(axe.source);
  const found = await frame.evaluate(
    `axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html).join(" | ")))`,
  );
  assert.deepEqual(found, []);
}
