import assert from "node:assert/strict";
import type { ImportGraph } from "./import_graph.ts";
import { ENGINES, planTests, type SortedTests, sortTests } from "./test_plan.ts";

/** A graph from `file: [what it imports]`. */
function graphOf(imports: Record<string, string[]>): ImportGraph {
  const edges = Object.entries(imports).flatMap(([from, targets]) =>
    targets.map((to) => ({ from, to, specifier: to, typeOnly: false }))
  );
  return { files: Object.keys(imports), edges, broken: [] };
}

const GRAPH = graphOf({
  "tests/_shared/plain_test.ts": ["supabase/functions/_shared/errors.ts"],
  "tests/e2e/rows_test.ts": ["tests/setup/services.ts"],
  "tests/queue/races_test.ts": ["tests/setup/postgres_database.ts"],
  "tests/setup/services.ts": ["tests/setup/database.ts"],
  "tests/setup/postgres_database.ts": ["tests/setup/database.ts"],
  "tests/setup/database.ts": [],
});

const TESTS: SortedTests = {
  unit: ["tests/_shared/plain_test.ts"],
  database: [
    "tests/e2e/rows_test.ts",
    "tests/local/auth_test.ts",
    "tests/queue/claim_test.ts",
    "tests/queue/model_test.ts",
  ],
  postgres: ["tests/queue/races_test.ts"],
};

Deno.test("sortTests() sorts files by the database they reach", () => {
  assert.deepEqual(sortTests(GRAPH, []), {
    unit: ["tests/_shared/plain_test.ts"],
    database: ["tests/e2e/rows_test.ts"],
    postgres: ["tests/queue/races_test.ts"],
  });
});

Deno.test("sortTests() keeps only the files and folders asked for", () => {
  const { unit, database, postgres } = sortTests(GRAPH, ["./tests/_shared/", "tests/queue/races_test.ts"]);

  assert.deepEqual([unit, database, postgres], [
    ["tests/_shared/plain_test.ts"],
    [],
    ["tests/queue/races_test.ts"],
  ]);
});

Deno.test("sortTests() matches whole path segments", () => {
  assert.deepEqual(sortTests(GRAPH, ["tests/que"]), { unit: [], database: [], postgres: [] });
});

Deno.test("planTests() runs all on the first engine, and what depends on the engine on the others too", () => {
  assert.deepEqual(planTests(TESTS, ENGINES), [
    { name: "without a database", files: ["tests/_shared/plain_test.ts"], kind: "together", jobs: 4 },
    {
      name: "on Postgres",
      engine: "postgres",
      files: [
        "tests/e2e/rows_test.ts",
        "tests/queue/claim_test.ts",
        "tests/queue/model_test.ts",
        "tests/queue/races_test.ts",
      ],
      kind: "together",
      jobs: 4,
    },
    {
      name: "on Postgres 17 from npm",
      engine: "postgres17",
      files: ["tests/queue/claim_test.ts", "tests/queue/races_test.ts"],
      kind: "together",
      jobs: 4,
    },
    {
      name: "on PGlite",
      engine: "pglite",
      files: ["tests/local/auth_test.ts", "tests/queue/claim_test.ts"],
      kind: "together",
      jobs: 4,
    },
  ]);
});

Deno.test("planTests() gives the next engine what a missing one should have run, as far as it can", () => {
  const files = (engines: typeof ENGINES) =>
    planTests(TESTS, engines).filter(({ engine }) => engine).map((
      { engine, files },
    ) => [engine, files.length]);

  assert.deepEqual(files(["postgres17", "pglite"]), [["postgres17", 4], ["pglite", 2]]);
  assert.deepEqual(files(["pglite"]), [["pglite", 4]]);
});

Deno.test("planTests() runs nothing but all that can run on the engine that was asked for", () => {
  const parts = planTests(TESTS, ENGINES, "pglite");

  assert.deepEqual(parts.map(({ engine, files }) => [engine, files]), [["pglite", TESTS.database]]);
});

Deno.test("planTests() keeps faults apart, and what measures time last and alone", () => {
  const names = ["e2e/rows", "faults/fairness", "faults/dump", "faults/restart", "faults/kill"];
  const tests = { unit: [], database: [], postgres: names.map((name) => `tests/${name}_test.ts`) };

  assert.deepEqual(planTests(tests, ["postgres"]).map(({ files, kind, jobs }) => [files, kind, jobs]), [
    [["tests/e2e/rows_test.ts", "tests/faults/kill_test.ts"], "together", 4],
    [["tests/faults/restart_test.ts"], "waiting", 2],
    [["tests/faults/dump_test.ts"], "paced", 2],
    [["tests/faults/fairness_test.ts"], "timed", 1],
  ]);
});
