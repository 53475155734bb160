import assert from "node:assert/strict";
import type { ImportGraph } from "./import_graph.ts";
import { planTests } from "./test_plan.ts";

/** A graph from `file: [what it imports]`. */
function graphOf(imports: Record<string, string[]>): ImportGraph {
  const edges = Object.entries(imports).flatMap(([from, targets]) =>
    targets.map((to) => ({ from, to, specifier: to, typeOnly: false }))
  );
  return { files: Object.keys(imports), edges, broken: [] };
}

const GRAPH = graphOf({
  "tests/_shared/plain_test.ts": ["supabase/functions/_shared/errors.ts"],
  "tests/db/rows_test.ts": ["tests/setup/services.ts"],
  "tests/db/races_test.ts": ["tests/setup/postgres_database.ts"],
  "tests/faults/kill_test.ts": ["tests/setup/database.ts"],
  "tests/setup/services.ts": ["tests/setup/database.ts"],
  "tests/setup/postgres_database.ts": ["tests/setup/database.ts"],
  "tests/setup/database.ts": [],
});

Deno.test("planTests() sorts files by the database they reach", () => {
  const parts = planTests(GRAPH, []);

  assert.deepEqual(parts, [
    { name: "without a database", files: ["tests/_shared/plain_test.ts"], parallel: true },
    { name: "on PGlite", database: "pglite", files: ["tests/db/rows_test.ts"], parallel: true },
    {
      name: "on PGlite, one by one",
      database: "pglite",
      files: ["tests/faults/kill_test.ts"],
      parallel: false,
    },
    {
      name: "on Postgres",
      database: "postgres",
      files: ["tests/db/races_test.ts", "tests/db/rows_test.ts"],
      parallel: true,
    },
    {
      name: "on Postgres, one by one",
      database: "postgres",
      files: ["tests/faults/kill_test.ts"],
      parallel: false,
    },
  ]);
});

Deno.test("planTests() runs what stands around the database on one of them", () => {
  const around = graphOf({
    "tests/local/auth_test.ts": ["tests/setup/database.ts"],
    "tests/setup/database.ts": [],
  });

  assert.deepEqual(planTests(around, []).map(({ database }) => database), ["pglite"]);
});

Deno.test("planTests() keeps only the files and folders asked for", () => {
  const parts = planTests(GRAPH, ["./tests/_shared/", "tests/db/races_test.ts"]);

  assert.deepEqual(parts.map((part) => part.files), [["tests/_shared/plain_test.ts"], [
    "tests/db/races_test.ts",
  ]]);
});

Deno.test("planTests() matches whole path segments", () => {
  assert.deepEqual(planTests(GRAPH, ["tests/d"]), []);
});

Deno.test("planTests() runs faults side by side that measure no time, apart from all other tests", () => {
  const faults = graphOf({
    "tests/db/rows_test.ts": ["tests/setup/postgres_database.ts"],
    "tests/faults/rate_test.ts": ["tests/setup/postgres_database.ts"],
    "tests/faults/restart_test.ts": ["tests/setup/postgres_database.ts"],
    "tests/setup/postgres_database.ts": [],
  });

  assert.deepEqual(planTests(faults, []).map(({ files, parallel }) => [files, parallel]), [
    [["tests/db/rows_test.ts"], true],
    [["tests/faults/restart_test.ts"], true],
    [["tests/faults/rate_test.ts"], false],
  ]);
});
