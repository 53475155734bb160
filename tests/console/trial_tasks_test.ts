import assert from "node:assert/strict";
import { type Step, STEPS, UNCOUNTED } from "../browser/console/trial_tasks.ts";

const TASKS = 47;

const FOLDERS = ["tests/browser", "tests/browser/console"];

/** The names of the steps that tests in the browser count. */
async function countedSteps(): Promise<string[]> {
  const names: string[] = [];
  for (const folder of FOLDERS) {
    for await (const { name } of Deno.readDir(folder)) {
      if (!name.endsWith("_test.ts")) continue;
      const text = await Deno.readTextFile(`${folder}/${name}`);
      names.push(...[...text.matchAll(/countPresses\("([^"]+)"\)/g)].map(([, step]) => step!));
    }
  }
  return names;
}

Deno.test("each of the trial's 47 tasks has a test, and takes no more presses than in the trial", () => {
  const steps: [string, Step][] = Object.entries(STEPS);
  const tasks = new Set([...steps.map(([, { task }]) => task), ...UNCOUNTED.map(({ task }) => task)]);

  assert.deepEqual([...tasks].sort((a, b) => a - b), Array.from({ length: TASKS }, (_, index) => index + 1));
  for (const [name, { presses, trial = presses }] of steps) {
    assert.ok(presses <= trial, `${name}: ${presses} presses, and ${trial} in the trial`);
  }
});

Deno.test("each step of the trial's tasks is counted in a browser, and the tests of the others exist", async () => {
  const counted = new Set(await countedSteps());

  assert.deepEqual(Object.keys(STEPS).filter((step) => !counted.has(step)), []);
  for (const { file, test } of UNCOUNTED) {
    assert.ok((await Deno.readTextFile(file)).includes(test), `${file} has no test “${test}…”`);
  }
});
