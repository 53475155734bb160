/**
 * `deno task test`: every test, with its own set-up, ending in one line `N passed, N failed`.
 *
 * @module
 */
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { fileURLToPath } from "node:url";
import { readImportGraph } from "./tools/import_graph.ts";
import { prepareBrowser } from "./tools/prepare_browser.ts";
import { preparePooler } from "./tools/prepare_pooler.ts";
import { prepareProxy } from "./tools/prepare_proxy.ts";
import { prepareDatabases, type PreparedDatabases } from "./tools/prepare_databases.ts";
import { makeRunFolder, removeRunFolder, sweepDeadRuns } from "./tools/run_folder.ts";
import { planTests, type TestPart } from "./tools/test_plan.ts";
import { runTestPart, type TestPartResult } from "./tools/test_part.ts";

const HELP = `Usage: deno task test [options] [file or folder under tests/]…

Runs the tests: those without a database once, those with one on PGlite and on Postgres, and the examples in
comments. Finds Postgres 15 or later, PgBouncer, nginx and Chromium; as root on Debian it installs them. Leaves nothing
else behind.

  --filter TEXT     only tests whose name contains TEXT (or matches /regexp/)
  --on DATABASE     only on "pglite" or only on "postgres"
  --no-install      do not install Postgres, PgBouncer, nginx or Chromium
  --help            print this text

  deno task test                                     everything
  deno task test tests/_shared                       one folder
  deno task test --on pglite --filter "claim" tests/migrations`;

interface Options {
  paths: string[];
  filter: string | undefined;
  on: string | undefined;
  install: boolean;
}

/** A part, the arguments of its `deno test`, and the files its report must name. */
interface Step {
  name: string;
  args: string[];
  expected: string[];
  env: Record<string, string>;
}

const ROOT = resolve(fileURLToPath(import.meta.url), "../..");
const DOCUMENTED = ["supabase/functions/_shared", "cli"];

/** Runs what the options ask for and answers the exit code. */
async function run(options: Options, signal: AbortSignal): Promise<number> {
  const started = Date.now();
  const folder = await makeRunFolder();
  const results: TestPartResult[] = [];
  const notes: string[] = [];
  try {
    await sweepDeadRuns(dirname(folder));
    const graph = await readImportGraph(ROOT, ["tests", "supabase", "cli", "local"]);
    const plan = planTests(graph, options.paths).filter((part) =>
      !options.on || part.database === options.on
    );
    await prepareBrowser(plan, { install: options.install, report: print });
    await preparePooler(plan, { install: options.install, report: print });
    await prepareProxy(plan, { install: options.install, report: print });
    const prepared = await prepareDatabases(plan, folder, { install: options.install, report: print });
    results.push(...missingParts(plan, prepared, notes));
    const steps = stepsOf(plan, prepared, options, join(folder, "notes"));
    for (const [index, { name, ...step }] of steps.entries()) {
      if (signal.aborted) break;
      const label = `[${index + 1}/${steps.length}] ${name}`;
      print(`\n${label}, ${since(started)} since the start`);
      const stepStarted = Date.now();
      const result = await runTestPart({ root: ROOT, folder, signal, ...step });
      print(`${label}: ${result.passed} passed, ${result.failed} failed in ${since(stepStarted)}`);
      results.push({ ...result, problems: result.problems.map((problem) => `${name}: ${problem}`) });
    }
    results.push(await notedSkips(join(folder, "notes"), notes));
  } finally {
    await removeRunFolder(folder);
  }
  print(`\nTook ${since(started)}`);
  return summarise(results, notes, signal.aborted);
}

/** The parts whose database is missing: named at the end, and counted as failed if it should have been there. */
function missingParts(plan: TestPart[], prepared: PreparedDatabases, notes: string[]): TestPartResult[] {
  return plan.flatMap((part) => {
    const missing = part.database && prepared.missing[part.database];
    if (missing === undefined) return [];
    const line = `tests ${part.name} (${filesOf(part)}): ${missing.reason}`;
    if (missing.outcome === "failed") return [{ passed: 0, failed: 1, skipped: 0, problems: [line] }];
    notes.push(line);
    return [{ passed: 0, failed: 0, skipped: part.files.length, problems: [] }];
  });
}

function stepsOf(plan: TestPart[], prepared: PreparedDatabases, options: Options, notes: string): Step[] {
  const filter = options.filter === undefined ? [] : ["--filter", options.filter];
  const env = { ...prepared.env, TEST_NOTES: notes };
  const steps = plan.filter((part) => !(part.database && prepared.missing[part.database])).map((part) => ({
    name: `tests ${part.name} (${filesOf(part)})`,
    args: [...filter, ...(part.parallel ? ["--parallel"] : []), ...part.files],
    expected: filter.length > 0 ? [] : part.files,
    env: { ...env, TEST_DATABASE: part.database ?? "" },
  }));
  const wantsExamples = options.paths.length === 0 && options.filter === undefined && !options.on;
  const examples = { name: "examples in comments", args: ["--doc", ...DOCUMENTED], expected: [], env };
  return wantsExamples ? [examples, ...steps] : steps;
}

/** Tests that returned early through `skipped()`; `deno test` counted them as passed. */
async function notedSkips(file: string, notes: string[]): Promise<TestPartResult> {
  const lines = (await Deno.readTextFile(file).catch(() => "")).split("\n").filter((line) => line !== "");
  notes.push(...lines);
  return { passed: -lines.length, failed: 0, skipped: lines.length, problems: [] };
}

function summarise(results: TestPartResult[], notes: string[], aborted: boolean): number {
  const total = (count: "passed" | "failed" | "skipped") =>
    results.reduce((sum, result) => sum + result[count], 0);
  for (const problem of results.flatMap((result) => result.problems)) print(`failed: ${problem}`);
  for (const note of notes) print(`skipped: ${note}`);
  if (aborted) print("stopped before the end");
  const skipped = total("skipped") > 0 ? `, ${total("skipped")} skipped` : "";
  print(`${total("passed")} passed, ${total("failed")} failed${skipped}`);
  return total("failed") > 0 || total("passed") === 0 || aborted ? 1 : 0;
}

function filesOf(part: TestPart): string {
  return part.files.length === 1 ? "1 file" : `${part.files.length} files`;
}

function since(start: number): string {
  const seconds = Math.round((Date.now() - start) / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

function readOptions(args: string[]): Options | "help" {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      filter: { type: "string" },
      on: { type: "string" },
      "no-install": { type: "boolean" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) return "help";
  if (values.on !== undefined && values.on !== "pglite" && values.on !== "postgres") {
    throw new TypeError(`--on takes "pglite" or "postgres", not "${values.on}"`);
  }
  return { paths: positionals, filter: values.filter, on: values.on, install: !values["no-install"] };
}

function print(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}

async function main(args: string[]): Promise<number> {
  const controller = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    Deno.addSignalListener(signal, () => controller.abort());
  }
  try {
    const options = readOptions(args);
    if (options !== "help") return await run(options, controller.signal);
    print(HELP);
    return 0;
  } catch (error) {
    print(`${(error as Error).message}\n0 passed, 1 failed`);
    return 1;
  }
}

if (import.meta.main) Deno.exit(await main(Deno.args));
