import assert from "node:assert/strict";

const TESTS = new URL("../", import.meta.url);

interface Row {
  line: string;
  /** The file of the test below tests/, without `_test.ts`. */
  file: string;
  /** A part of the test's name. */
  name: string;
}

async function readRows(): Promise<Row[]> {
  const text = await Deno.readTextFile(new URL("contract/rows.txt", TESTS));
  return text.trimEnd().split("\n").slice(1).map((line) => {
    const [file, name] = line.split(" | ").slice(2);
    return { line, file: file!, name: name! };
  });
}

/** The names of the tests of a file, as they stand in it. */
async function testNames(file: string): Promise<string[]> {
  const text = await Deno.readTextFile(new URL(`${file}_test.ts`, TESTS));
  return [...text.matchAll(/\b\w*[tT]est\(\s*(["`])(.+?)\1/g)].map(([, , name]) => name!);
}

Deno.test("each sentence of the contract has one test that shows it", async () => {
  const rows = await readRows();

  const files = [...new Set(rows.map(({ file }) => file))];
  const names = new Map(await Promise.all(files.map(async (file) => [file, await testNames(file)] as const)));
  const without = rows.filter(({ file, name }) =>
    names.get(file)!.filter((each) => each.includes(name)).length !== 1
  );

  assert.deepEqual(without.map(({ line }) => line), []);
  assert.equal(new Set(rows.map(({ line }) => line)).size, rows.length);
});
