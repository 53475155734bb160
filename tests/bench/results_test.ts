import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { jsonLines } from "../../bench/output/json_lines.ts";
import { type MeasureResult, readResults, type Results, writeResult } from "../../bench/output/results.ts";
import { withResults } from "../../bench/output/results_table.ts";
import { withTempFolder } from "../setup/temp_folder.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

function result(overrides: Partial<MeasureResult> = {}): MeasureResult {
  return {
    date: "2026-11-21T08:00:00.000Z",
    commit: "0123456789ab",
    quick: false,
    machine: { cpu: "Some CPU", cores: 2, memory_gb: 8, deno: "2.9.6", postgres: "15.8" },
    rows: [{ work: "work", against: "peer | pipe", ours: "2/s", theirs: "1/s", ratio: 2 }],
    ...overrides,
  };
}

async function readPage(): Promise<string> {
  return await Deno.readTextFile(`${ROOT}docs/performance.md`);
}

Deno.test("docs/performance.md shows what bench/results.json holds", async () => {
  const page = await readPage();

  assert.equal(page, withResults(page, await readResults(`${ROOT}bench/results.json`)));
});

Deno.test("withResults() renders every row, and where and when it was measured once for all alike", async () => {
  const measured = result({
    rows: [
      { work: "a", against: "p", aim: "≥ 0.4", ours: "2/s", theirs: "4/s", ratio: 0.5, met: true },
      { work: "b", against: "-", aim: "< 3 s", ours: "4 s", theirs: "-", met: false },
    ],
  });
  const results: Results = { measures: { bulk: measured, start: result(), intake: result({ quick: true }) } };

  const page = withResults(await readPage(), results);

  const lines = page.split("\n").map((line) => line.replaceAll(/ +/g, " "));
  assert.ok(lines.includes("| bulk | a | p | ≥ 0.4 | 2/s | 4/s | 0.50 | yes |"));
  assert.ok(lines.includes("| bulk | b | - | < 3 s | 4 s | - | | **no** |"));
  assert.ok(lines.includes("| start | work | peer \\| pipe | | 2/s | 1/s | 2.00 | |"));
  const machine = "Some CPU, 2 cores, 8 GB | 2.9.6 | 15.8 |";
  assert.ok(lines.includes(`| bulk, start | 2026-11-21 | 0123456789ab | full | ${machine}`));
  assert.ok(lines.includes(`| intake | 2026-11-21 | 0123456789ab | quick | ${machine}`));
  assert.equal(withResults(page, results), page);
});

Deno.test("withResults() refuses a page without its marks", () => {
  assert.throws(() => withResults("# Performance\n", { measures: {} }), /lacks the marks/);
});

Deno.test("writeResult() replaces one measure and keeps the others", () =>
  withTempFolder(async (folder) => {
    const file = `${folder}/results.json`;
    await writeResult(file, "intake", result());
    await writeResult(file, "bulk", result());

    await writeResult(file, "intake", result({ commit: "later" }));

    const { measures } = await readResults(file);
    assert.deepEqual(measures, { intake: result({ commit: "later" }), bulk: result() });
  }));

for (
  const file of ["bench/growth.json", "bench/results.json", "bench/soak.json", "ops/grafana/outbound.json"]
) {
  Deno.test(`${file} has one line per record (write it with jsonLines())`, async () => {
    const text = await Deno.readTextFile(`${ROOT}${file}`);

    assert.equal(text, jsonLines(JSON.parse(text)));
  });
}
