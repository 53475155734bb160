import assert from "node:assert/strict";
import { join } from "node:path";
import { withTempFolder } from "../setup/temp_folder.ts";
import { runTestPart, type TestPartOptions, type TestPartResult } from "./test_part.ts";

/** Runs files (name → text) in a folder of their own. */
async function run(
  files: Record<string, string>,
  options: Partial<TestPartOptions> = {},
): Promise<Omit<TestPartResult, "cpuS" | "byFile" | "unsteady" | "stops" | "notBegun">> {
  let result: TestPartResult | undefined;
  await withTempFolder(async (folder) => {
    for (const [name, text] of Object.entries(files)) await Deno.writeTextFile(join(folder, name), text);
    const names = Object.keys(files);
    result = await runTestPart({
      root: folder,
      folder,
      args: [],
      files: names,
      expected: names,
      env: {},
      signal: new AbortController().signal,
      output: "null",
      ...options,
    });
  });
  const { passed, failed, skipped, problems } = result ?? assert.fail("no result");
  return { passed, failed, skipped, problems };
}

Deno.test("runTestPart() counts what passed and failed", async () => {
  const result = await run({
    "a_test.ts": `Deno.test("good", () => {}); Deno.test("bad", () => { throw new Error(); });`,
    "b_test.ts": `Deno.test("good", () => {});`,
  });

  assert.deepEqual(result, { passed: 2, failed: 1, skipped: 0, problems: [] });
});

Deno.test("runTestPart() fails a test that leaves something open", async () => {
  const result = await run({
    "leak_test.ts": `Deno.test("leak", () => { Deno.listen({ port: 0, hostname: "127.0.0.1" }); });`,
  });

  assert.deepEqual([result.passed, result.failed], [0, 1]);
});

Deno.test("runTestPart() counts a file that dies before its tests as failed", async () => {
  const result = await run({
    "a_test.ts": `Deno.test("good", () => {});`,
    "b_test.ts": `throw new Error("no tests today");`,
  });

  assert.deepEqual(result, { passed: 1, failed: 1, skipped: 0, problems: ["b_test.ts: no test ran"] });
});

Deno.test("runTestPart() fails when nothing could be checked at all", async () => {
  const result = await run({
    "a_test.ts": `const x: number = "text"; Deno.test("x", () => { console.log(x); });`,
  });

  assert.deepEqual(result.problems, ["deno test ended with code 1 and no report"]);
  assert.equal(result.failed, 1);
});

Deno.test("runTestPart() stops a run on its signal", async () => {
  const controller = new AbortController();
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const endless = `Deno.test("endless", async () => {
    const socket = await Deno.connect({ hostname: "127.0.0.1", port: ${listener.addr.port} });
    await socket.read(new Uint8Array(1));
  });`;

  const running = run({ "a_test.ts": endless }, { signal: controller.signal });
  const socket = await listener.accept();
  controller.abort();
  const result = await running;

  socket.close();
  listener.close();
  assert.deepEqual(result.problems, ["deno test ended with code 143 and no report"]);
});

Deno.test("runTestPart() starts nothing when it was stopped before", async () => {
  const result = await run({ "a_test.ts": `Deno.test("good", () => {});` }, { signal: AbortSignal.abort() });

  assert.deepEqual(result, { passed: 0, failed: 1, skipped: 0, problems: ["not started"] });
});

Deno.test("runTestPart() stops a run in which a test does not end, and keeps what the others gave", async () => {
  const endless = `Deno.test("endless", () => { for (;;); });`;
  const good = `Deno.test("good", () => {});`;

  const result = await run({ "a_test.ts": good, "b_test.ts": `${endless} ${good}` }, {
    maxSilenceMs: 8000,
    args: ["--no-check"],
  });

  assert.deepEqual(result, { passed: 1, failed: 2, skipped: 0, problems: [] });
});
