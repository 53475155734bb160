import assert from "node:assert/strict";
import { join } from "node:path";
import { withTempFolder } from "../setup/temp_folder.ts";
import { runTestPart, type TestPartResult } from "./test_part.ts";

const GOOD = `Deno.test("good", () => {});`;
const BAD = `Deno.test("bad", () => { throw new Error(); });`;
const FAILS_ONCE = `Deno.test("fails once", () => {
  const tried = new URL("tried", import.meta.url);
  const isSecond = [...Deno.readDirSync(new URL(".", import.meta.url))].some(({ name }) => name === "tried");
  Deno.writeTextFileSync(tried, "");
  if (!isSecond) throw new Error();
}); ${GOOD}`;

/** Runs files (name → text) in a folder of their own. */
async function run(texts: Record<string, string>): Promise<TestPartResult> {
  let result: TestPartResult | undefined;
  await withTempFolder(async (folder) => {
    for (const [name, text] of Object.entries(texts)) await Deno.writeTextFile(join(folder, name), text);
    const files = Object.keys(texts);
    result = await runTestPart({
      ...{ root: folder, folder, args: ["--no-check"], files, expected: files, env: {} },
      ...{ signal: new AbortController().signal, output: "null" },
    });
  });
  return result ?? assert.fail("no result");
}

Deno.test("a test that passes only at its second try counts as failed, and its file is named as unsteady", async () => {
  const result = await run({ "a_test.ts": `${GOOD} ${BAD}`, "b_test.ts": FAILS_ONCE });

  assert.deepEqual([result.passed, result.failed, result.unsteady], [2, 2, ["b_test.ts"]]);
  assert.deepEqual(result.problems, []);
});

Deno.test("what failed is named with its file and its message, on one line", async () => {
  const thrown = `throw new Error("one is not <two>,\\nas it should")`;
  const { failures } = await run({ "a_test.ts": `${GOOD} Deno.test("bad & worse", () => { ${thrown}; });` });

  assert.deepEqual(failures, ["a_test.ts => bad & worse: Uncaught Error: one is not <two>, as it should"]);
});

Deno.test("a file that cannot be loaded fails the run", async () => {
  const { passed, failed, problems } = await run({
    "a_test.ts": GOOD,
    "b_test.ts": `throw new Error("no tests today");`,
  });

  assert.deepEqual([passed, failed], [1, 1]);
  assert.deepEqual(problems, ["b_test.ts: no test ran"]);
});
