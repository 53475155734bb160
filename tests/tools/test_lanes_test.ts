import assert from "node:assert/strict";
import { basename, join } from "node:path";
import { withTempFolder } from "../setup/temp_folder.ts";
import { writeLanes } from "./test_lanes.ts";
import { runTestPart } from "./test_part.ts";

Deno.test("writeLanes() loads several files as one, each of which is counted by its own name", () =>
  withTempFolder(async (root) => {
    const names = Array.from({ length: 14 }, (_, n) => `n${n}_test.ts`);
    for (const name of names) {
      const fails = name === "n7_test.ts" ? "throw new Error();" : "";
      await Deno.writeTextFile(join(root, name), `Deno.test("a test", () => {${fails}});`);
    }
    await Deno.writeTextFile(
      join(root, "hooks_test.ts"),
      'Deno.test.beforeAll(() => {}); Deno.test("b", () => {});',
    );
    const files = [...names, "hooks_test.ts"];

    const lanes = await writeLanes(root, root, files);
    const { passed, failed, problems } = await runTestPart({
      ...{ root, folder: root, args: ["--no-check"], files: lanes, expected: files, env: {}, output: "null" },
      signal: new AbortController().signal,
    });

    assert.equal(lanes.length, 3);
    assert.equal(basename(lanes[0]!), "hooks_test.ts");
    assert.deepEqual([passed, failed, problems], [14, 1, []]);
  }));

Deno.test("writeLanes() leaves a few files as they are", () =>
  withTempFolder(async (root) => {
    await Deno.writeTextFile(join(root, "a_test.ts"), "");

    assert.deepEqual(await writeLanes(root, root, ["a_test.ts"]), ["a_test.ts"]);
  }));
