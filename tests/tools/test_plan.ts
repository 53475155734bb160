import { type ImportGraph, reachableFiles } from "./import_graph.ts";
import { SLOW } from "./slow_tests.ts";

/**
 * A database that tests run on: the best Postgres server of this machine, the Postgres 17 that npm carries, or the
 * PGlite of `deno task start`.
 */
export type TestEngine = "postgres" | "postgres17" | "pglite";

/** All engines, the one that should run the whole suite first. */
export const ENGINES: readonly TestEngine[] = ["postgres", "postgres17", "pglite"];

/** Files that are run by one `deno test`. */
export interface TestPart {
  name: string;
  engine?: TestEngine;
  files: string[];
  kind: PartKind;
  /** How many files run at the same time. */
  jobs: number;
  /** The number of databases; where there are two, the tests' companies live in the second. @default 1 */
  cells?: number;
}

/**
 * The needs of a part: `together` parts compute, `waiting` parts need a processor that is free when a lease or a timeout
 * ends or a page draws what was pressed, `paced` parts assert a pace that takes little of a processor, and `timed` parts
 * run one test at a time.
 */
export type PartKind = "together" | "waiting" | "paced" | "timed";

/** Test files by what they import. */
export interface SortedTests {
  /** Reach no database. */
  unit: string[];
  /** Reach `setup/database/database.ts`: run on any engine. */
  database: string[];
  /** Reach `setup/database/postgres_database.ts`: need a Postgres server. */
  postgres: string[];
}

const TEST_FILE = /^tests\/.*_test\.ts$/;
/** Wait for minutes by the clock, need the source of another project, or compile for minutes: run when asked for. */
const BY_HAND = /^tests\/((alerts|auth_server)\/|clients\/progenitor_)/;
const ANY_ENGINE = "tests/setup/database/database.ts";
const ONLY_POSTGRES = "tests/setup/database/postgres_database.ts";

/** About the stand-ins, the browser's side and the packaging, which come with PGlite. */
const ONLY_PGLITE = /^tests\/(browser|docs|functions|local)\//;
/** Depends on the engine: SQL functions, migrations, locks, plans, and one path through everything. */
const EVERY_ENGINE =
  /^tests\/(queue|setup|cli\/migrations)\/|^tests\/migrations\/(catalogue|deliver_events|outgoing_events)_|^tests\/(e2e\/main_path|dispatching\/sending)_/;
/**
 * Does not depend on it for all that: rules of states, which the same SQL keeps everywhere, sequences of steps drawn by
 * chance, and plans after a million rows.
 */
const ONE_ENGINE =
  /^tests\/queue\/\w+\/(cancel|clean_up|clean_up_plans|model|platform_events_property|senders|silence|template_shape|templates|voice_checks|voice_events|voice_model|windows)_/;

/** Keys, ids, members and events, which lead a request to its cell; a page of each kind; and one path through everything. */
const OF_ANY_CELL = /^tests\/(e2e\/(access\/|openapi\/openapi_examples_|widgets\/|main_path_)|webhooks\/)/;

/** A set of tests: what protects a change, everything, or one part of everything. */
export type Tier = "change" | "all" | "faults" | "attacks" | "engines";

/** Whole stacks, browsers, packages, kills and attacks: a change of what they are about asks for them. */
const NOT_FOR_EACH_CHANGE =
  /^tests\/(attacks|browser|clients|deploy|docs|faults|functions|fuzz|local|prometheus|proxy|recipes|round_trips|rules|start|tools)\//;
/** One path through a browser, and one kill. */
export const FOR_EACH_CHANGE: ReadonlySet<string> = new Set([
  "tests/browser/console/campaign_test.ts",
  "tests/faults/dispatchers/kill_test.ts",
]);

/** Asserts how long something takes under load: has the machine for itself. */
const TIMED = /^tests\/(attacks|faults\/pace)\//;
/** Asserts a pace that takes little of a processor: two at a time leave each its pace. */
const PACED = /^tests\/faults\/\w+\/(dump|late_claim|pooler)_/;
/** Waits for leases, timeouts, restarts, the turn of a minute and what a page draws; `kill_test.ts` computes. */
const WAITING = /^tests\/(browser\/|faults\/(?!dispatchers\/kill_)|queue\/jobs\/cron_)/;

/** More than two processors can compute, where tests wait half of their time or more: for a clock, a process. */
const JOBS: Record<PartKind, number> = { together: 4, waiting: 2, paced: 2, timed: 1 };
const SUFFIXES: Record<PartKind, string> = {
  together: "",
  waiting: ", waiting",
  paced: ", at a pace",
  timed: ", one by one",
};
/** In the order in which they start. */
const KINDS = Object.keys(JOBS) as PartKind[];

/**
 * Sorts the test files by the database that they reach.
 *
 * @param wanted paths (files or folders) to keep; empty keeps all but those that are run by hand
 */
export function sortTests(graph: ImportGraph, wanted: string[]): SortedTests {
  const sorted: SortedTests = { unit: [], database: [], postgres: [] };
  for (const file of graph.files.filter((file) => TEST_FILE.test(file) && isWanted(file, wanted))) {
    const reached = reachableFiles(graph, file);
    sorted[reached.has(ONLY_POSTGRES) ? "postgres" : reached.has(ANY_ENGINE) ? "database" : "unit"]
      .push(file);
  }
  return sorted;
}

/**
 * Splits test files into parts: everything on the first engine, what depends on the engine on the others too, and what
 * needs no database once.
 *
 * @param engines that this machine has, the one for the whole suite first
 * @param options.only the one engine that was asked for: everything that can runs on it, and nothing else runs
 */
export function planTests(
  tests: SortedTests,
  engines: readonly TestEngine[],
  { only, tier = "all" }: { only?: TestEngine | undefined; tier?: Tier } = {},
): TestPart[] {
  const main = only ?? engines[0];
  const on = (engine: TestEngine) => {
    const files = [...tests.database, ...engine === "pglite" ? [] : tests.postgres].sort();
    return files.filter((file) => {
      if (ONLY_PGLITE.test(file)) return engine === "pglite";
      return engine === main || EVERY_ENGINE.test(file) && !ONE_ENGINE.test(file);
    });
  };
  const parts = [
    ...only ? [] : split("without a database", tests.unit),
    ...engines.filter((engine) => !only || engine === only)
      .flatMap((engine) => split(`on ${ENGINE_NAMES[engine]}`, on(engine), engine)),
  ];
  const isOther = ({ engine }: TestPart) => engine !== undefined && engine !== main;
  return parts.map((part) => ({ ...part, files: part.files.filter(isOfTier(tier, isOther(part))) }))
    .filter(({ files }) => files.length > 0)
    .sort((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind));
}

/** Returns what of these parts runs once more with two cells, on the first engine that has it. */
export function inSecondCell(parts: TestPart[]): TestPart[] {
  const isOfAnyCell = (file: string) => OF_ANY_CELL.test(file);
  return parts.filter(({ files }) => files.some(isOfAnyCell)).slice(0, 1).map((part) => ({
    ...part,
    name: `${part.name}, in the second of two cells`,
    files: part.files.filter(isOfAnyCell),
    cells: 2,
  }));
}

function isOfTier(tier: Tier, isOnOtherEngine: boolean): (file: string) => boolean {
  switch (tier) {
    case "change":
      return (file) => !isOnOtherEngine && protectsEachChange(file);
    case "all":
      return () => true;
    case "faults":
      return (file) => file.startsWith("tests/faults/");
    case "attacks":
      return (file) => file.startsWith("tests/attacks/");
    case "engines":
      return () => isOnOtherEngine;
  }
}

function protectsEachChange(file: string): boolean {
  return FOR_EACH_CHANGE.has(file) || !NOT_FOR_EACH_CHANGE.test(file) && !SLOW.has(file);
}

/** The names of the engines in reports. */
export const ENGINE_NAMES: Record<TestEngine, string> = {
  postgres: "Postgres",
  postgres17: "Postgres 17 from npm",
  pglite: "PGlite",
};

function split(name: string, files: string[], engine?: TestEngine): TestPart[] {
  const where = engine === undefined ? {} : { engine };
  return KINDS.map((kind) => ({
    name: `${name}${SUFFIXES[kind]}`,
    ...where,
    kind,
    jobs: JOBS[kind],
    files: files.filter((file) => kindOf(file) === kind),
  })).filter((part) => part.files.length > 0);
}

function kindOf(file: string): PartKind {
  if (TIMED.test(file)) return "timed";
  if (PACED.test(file)) return "paced";
  return WAITING.test(file) ? "waiting" : "together";
}

function isWanted(file: string, wanted: string[]): boolean {
  const names = wanted.map((path) => path.replace(/^\.\//, "").replace(/\/$/, ""));
  if (names.length === 0) return !BY_HAND.test(file);
  return names.some((name) => file === name || file.startsWith(`${name}/`));
}
