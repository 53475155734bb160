import assert from "node:assert/strict";
import { join } from "node:path";
import { withTempFolder } from "../setup/temp_folder.ts";
import { runWithSecondTry } from "./second_try.ts";
import type { TestPartOptions, TestPartResult } from "./test_part.ts";

const GOOD = `Deno.test("good", () => {});`;
const BAD = `Deno.test("bad", () => { throw new Error(); });`;
const FAILS_ONCE = `Deno.test("fails once", () => {
  const tried = new URL("tried", import.meta.url);
  const isSecond = [...Deno.readDirSync(new URL(".", import.meta.url))].some(({ name }) => name === "tried");
  Deno.writeTextFileSync(tried, "");
  if (!isSecond) throw new Error();
}); ${GOOD}`;
const ENDLESS_ONCE = `Deno.test("endless once", async () => {
  const tried = new URL("tried", import.meta.url);
  const isSecond = [...Deno.readDirSync(new URL(".", import.meta.url))].some(({ name }) => name === "tried");
  Deno.writeTextFileSync(tried, "");
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  if (!isSecond) await listener.accept();
  listener.close();
}); ${GOOD}`;

const DIES_ONCE = FAILS_ONCE.replace("throw new Error();", 'Deno.kill(Deno.pid, "SIGKILL");');

/** Runs files (name → text) in a folder of their own. */
async function run(
  texts: Record<string, string>,
  options: Partial<TestPartOptions> = {},
): Promise<Omit<TestPartResult, "cpuS" | "byFile" | "notBegun">> {
  let result: TestPartResult | undefined;
  await withTempFolder(async (folder) => {
    for (const [name, text] of Object.entries(texts)) await Deno.writeTextFile(join(folder, name), text);
    const files = Object.keys(texts);
    result = await runWithSecondTry({
      ...{ root: folder, folder, args: [], files, expected: files, env: {} },
      ...{ signal: new AbortController().signal, output: "null" },
      ...options,
    });
  });
  const { cpuS: _, byFile: __, notBegun: ___, ...counts } = result ?? assert.fail("no result");
  return counts;
}

Deno.test("runWithSecondTry() counts a file by its second try, and names it when all passed then", async () => {
  const result = await run({ "a_test.ts": GOOD, "b_test.ts": FAILS_ONCE });

  assert.deepEqual(result, {
    passed: 3,
    failed: 0,
    skipped: 0,
    problems: [],
    unsteady: ["b_test.ts"],
    stops: [],
  });
});

Deno.test("runWithSecondTry() counts what fails twice as failed", async () => {
  const result = await run({ "a_test.ts": `${GOOD} ${BAD}`, "b_test.ts": FAILS_ONCE });

  assert.deepEqual(result, {
    passed: 3,
    failed: 1,
    skipped: 0,
    problems: [],
    unsteady: ["b_test.ts"],
    stops: [],
  });
});

Deno.test("runWithSecondTry() runs nothing again when more than three files failed, or one could not be loaded", async () => {
  const failing = Object.fromEntries(["a", "b", "c", "d"].map((name) => [`${name}_test.ts`, BAD]));
  const many = await run(failing);
  const broken = await run({ "a_test.ts": FAILS_ONCE, "b_test.ts": `throw new Error("no tests today");` });

  assert.deepEqual([many.passed, many.failed, many.unsteady], [0, 4, []]);
  assert.deepEqual([broken.passed, broken.failed, broken.unsteady], [1, 2, []]);
});

Deno.test("runWithSecondTry() goes on behind a test that did not end, and names it", async () => {
  const files = { "a_test.ts": GOOD, "b_test.ts": ENDLESS_ONCE, "c_test.ts": GOOD };
  const result = await run(files, { maxSilenceMs: 8000, args: ["--no-check"] });

  assert.deepEqual(result, {
    ...{ passed: 4, failed: 0, skipped: 0, problems: [], unsteady: ["b_test.ts"] },
    stops: ["after 8 s without progress; still going on: endless once (b_test.ts)"],
  });
});

Deno.test("runWithSecondTry() runs all files again when the process died with their results, and says so", async () => {
  const { passed, failed, stops } = await run({ "a_test.ts": GOOD, "b_test.ts": DIES_ONCE });

  assert.deepEqual([passed, failed], [3, 0]);
  assert.match(stops.join(), /^deno test ended with code \d+ and no report$/);
});
