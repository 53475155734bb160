import assert from "node:assert/strict";
import { LONG, SLOW } from "./slow_tests.ts";
import { FOR_EACH_CHANGE, inSecondCell, planTests, type SortedTests, type Tier } from "./test_plan.ts";

const TESTS: SortedTests = {
  unit: [
    "tests/_shared/plain_test.ts",
    "tests/docs/commands_test.ts",
    "tests/faults/dispatchers/kill_test.ts",
  ],
  database: ["tests/e2e/notify_test.ts", "tests/local/auth_test.ts", "tests/queue/claim/claim_test.ts"],
  postgres: [
    "tests/attacks/attacks_test.ts",
    "tests/faults/pace/rate_test.ts",
    "tests/queue/plans/plans_test.ts",
  ],
};

function planned(tier: Tier): string[] {
  return planTests(TESTS, ["postgres", "pglite"], { tier }).flatMap(({ engine, files }) =>
    files.map((file) => `${engine ?? "none"} ${file.slice("tests/".length, -"_test.ts".length)}`)
  ).sort();
}

Deno.test("planTests() takes each test once into what protects a change, and into the parts of the rest", () => {
  assert.deepEqual(planned("change"), [
    ...[
      "none _shared/plain",
      "none faults/dispatchers/kill",
      "postgres e2e/notify",
      "postgres queue/claim/claim",
    ],
  ]);
  assert.deepEqual(planned("faults"), ["none faults/dispatchers/kill", "postgres faults/pace/rate"]);
  assert.deepEqual(planned("attacks"), ["postgres attacks/attacks"]);
  assert.deepEqual(planned("engines"), ["pglite local/auth", "pglite queue/claim/claim"]);
  assert.deepEqual(planned("all"), [
    ...[
      "none _shared/plain",
      "none docs/commands",
      "none faults/dispatchers/kill",
      "pglite local/auth",
      "pglite queue/claim/claim",
    ],
    ...[
      "postgres attacks/attacks",
      "postgres e2e/notify",
      "postgres faults/pace/rate",
      "postgres queue/claim/claim",
    ],
    ...["postgres queue/plans/plans"],
  ]);
});

Deno.test("inSecondCell() repeats what leads a request to its cell, on the first engine", () => {
  const files = ["tests/e2e/access/tenants_test.ts", "tests/e2e/notify_test.ts"];
  const parts = planTests({ unit: [], database: files, postgres: [] }, ["postgres", "pglite"]);

  const [part, ...others] = inSecondCell(parts);

  assert.deepEqual(others, []);
  assert.deepEqual([part!.engine, part!.files, part!.cells], ["postgres", [files[0]], 2]);
  assert.deepEqual(inSecondCell([]), []);
});

Deno.test("every file that the plan names exists", async () => {
  for (const file of [...SLOW, ...FOR_EACH_CHANGE, ...LONG]) {
    assert.ok((await Deno.stat(new URL(`../../${file}`, import.meta.url))).isFile, file);
  }
});
