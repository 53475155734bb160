import { type ImportGraph, reachableFiles } from "./import_graph.ts";

/** Where a part's tests keep their data. */
export type TestDatabaseKind = "pglite" | "postgres";

/** Files that are run by one `deno test`. */
export interface TestPart {
  name: string;
  database?: TestDatabaseKind;
  files: string[];
  /** False for tests that measure time, start the service or drive a browser: they get the machine for themselves. */
  parallel: boolean;
}

const TEST_FILE = /^tests\/.*_test\.ts$/;
const ANY_DATABASE = "tests/setup/database.ts";
const ONLY_POSTGRES = "tests/setup/postgres_database.ts";
/** About what stands around the database: once is enough. */
const ANY_ONE_DATABASE = /^tests\/(browser|docs|functions|local)\//;
const ALONE = /^tests\/(attacks|faults|browser|start)\//;
/** Faults that ask what was lost or doubled, not how long it took, and mostly wait: two at a time leave each its pace. */
const UNTIMED =
  /^tests\/faults\/(database_faults|dispatcher_kill|failover|ledger|lock_order|platform|pooler|restart|sockets|suspended)_test\.ts$/;

/**
 * Splits the test files into parts by what they import: what reaches `setup/database.ts` runs on PGlite and, unless it
 * is about the stand-ins, the browser's side or the packaging, on Postgres; what reaches `setup/postgres_database.ts` on
 * Postgres alone; the rest needs no database and runs once.
 *
 * @param wanted paths (files or folders) to keep; empty keeps all
 */
export function planTests(graph: ImportGraph, wanted: string[]): TestPart[] {
  const files = graph.files.filter((file) => TEST_FILE.test(file) && isWanted(file, wanted));
  const groups = { unit: [] as string[], both: [] as string[], postgres: [] as string[] };
  for (const file of files) {
    const reached = reachableFiles(graph, file);
    groups[reached.has(ONLY_POSTGRES) ? "postgres" : reached.has(ANY_DATABASE) ? "both" : "unit"].push(file);
  }
  const postgres = [...groups.both.filter((file) => !ANY_ONE_DATABASE.test(file)), ...groups.postgres].sort();
  return [
    ...split("without a database", groups.unit),
    ...split("on PGlite", groups.both, "pglite"),
    ...split("on Postgres", postgres, "postgres"),
  ];
}

function split(name: string, files: string[], database?: TestDatabaseKind): TestPart[] {
  const where = database === undefined ? {} : { database };
  const kept = (kind: PartKind) => files.filter((file) => kindOf(file) === kind);
  return [
    { name, ...where, files: kept("together"), parallel: true },
    { name: `${name}, faults without a clock`, ...where, files: kept("untimed"), parallel: true },
    { name: `${name}, one by one`, ...where, files: kept("alone"), parallel: false },
  ].filter((part) => part.files.length > 0);
}

type PartKind = "together" | "untimed" | "alone";

function kindOf(file: string): PartKind {
  if (UNTIMED.test(file)) return "untimed";
  return ALONE.test(file) ? "alone" : "together";
}

function isWanted(file: string, wanted: string[]): boolean {
  const names = wanted.map((path) => path.replace(/^\.\//, "").replace(/\/$/, ""));
  return names.length === 0 || names.some((name) => file === name || file.startsWith(`${name}/`));
}
