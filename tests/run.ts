/**
 * `deno task test`: every test, with its own set-up, ending in one line `N passed, N failed`.
 *
 * @module
 */
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { checkTypes } from "./tools/check_types.ts";
import { readImportGraph } from "./tools/import_graph.ts";
import { installPrograms } from "./tools/install/install_programs.ts";
import { type PreparedEngine, prepareEngine } from "./tools/prepare_databases.ts";
import { makeRunFolder, memoryDisk, removeRunFolder, sweepDeadRuns } from "./tools/run_folder.ts";
import { printLine as print, RunReport } from "./tools/run_report.ts";
import { readOptions, type RunOptions, USAGE } from "./tools/run_options.ts";
import {
  ENGINE_NAMES,
  ENGINES,
  inSecondCell,
  planTests,
  type SortedTests,
  sortTests,
  type TestEngine,
  type TestPart,
} from "./tools/test_plan.ts";
import { writeLanes } from "./tools/test_lanes.ts";
import { TEST_PACKAGES } from "./tools/test_packages.ts";
import { runTestPart } from "./tools/test_part.ts";

const ROOT = resolve(fileURLToPath(import.meta.url), "../..");
const QUEUE_SQL = ["supabase/schemas/20_queue", "supabase/schemas/22_senders"];
const DOCUMENTED = ["supabase/functions/_shared", "cli"];

/** Runs what the options ask for and returns the exit code. */
async function run(options: RunOptions, signal: AbortSignal): Promise<number> {
  const folder = await makeRunFolder();
  const dataFolder = await makeRunFolder(await memoryDisk());
  const report = new RunReport(folder, options.reports);
  try {
    for (const each of [folder, dataFolder]) await sweepDeadRuns(dirname(each));
    const types = await checkTypes(ROOT, options.paths);
    if (types !== undefined) {
      print(types);
      report.fail("type check");
      return report.summarise(signal.aborted);
    }
    const graph = await readImportGraph(ROOT, ["tests", "supabase", "cli", "local"]);
    const tests = sortTests(graph, options.paths);
    const { parts, envs } = await prepare(tests, options, { folder, dataFolder }, report);
    const filter = options.filter === undefined ? [] : ["--filter", options.filter];
    if (options.paths.length === 0 && (options.tier === "change" || options.tier === "all") && !options.on) {
      await report.step(
        "examples in comments",
        (reports) =>
          runTestPart({
            root: ROOT,
            folder: reports,
            signal,
            args: ["--doc", ...TEST_PACKAGES],
            files: DOCUMENTED,
            expected: [],
            env: {},
          }),
      );
    }
    const modulesOf = ({ kind, files }: TestPart) =>
      kind === "together" ? writeLanes(ROOT, folder, files) : Promise.resolve(files);
    const isWhole = options.tier === "all" && options.paths.length === 0 && options.filter === undefined;
    for (const part of isWhole ? [...parts, ...inSecondCell(parts)] : parts) {
      const files = part.files.length === 1 ? "1 file" : `${part.files.length} files`;
      await report.step(
        `tests ${part.name} (${files})`,
        async (reports) =>
          await runTestPart({
            ...{ root: ROOT, folder: reports, signal, jobs: part.jobs },
            args: ["--no-check", "--config=deno.json", ...TEST_PACKAGES, ...filter],
            files: await modulesOf(part),
            expected: filter.length > 0 ? [] : part.files,
            env: {
              TEST_NOTES: report.notesFile,
              ...part.engine && envs.get(part.engine),
              ...part.cells && { CELLS: String(part.cells) },
            },
          }),
      );
    }
    if (options.tier === "change" && await isQueueChanged()) {
      print("dispatching/ or the queue's SQL changed: run `deno task test --faults` too");
    }
    await report.readServers();
    report.readNotes();
  } finally {
    for (const each of [folder, dataFolder]) await removeRunFolder(each);
  }
  return report.summarise(signal.aborted);
}

/** Prepares the engines that the tests need; what a missing engine should have run goes to the next one. */
async function prepare(
  tests: SortedTests,
  { on, tier, install }: RunOptions,
  { folder, dataFolder }: { folder: string; dataFolder: string },
  report: RunReport,
): Promise<{ parts: TestPart[]; envs: Map<TestEngine, Record<string, string>> }> {
  const envs = new Map<TestEngine, Record<string, string>>();
  let engines = ENGINES;
  const plan = () => planTests(tests, engines, { only: on, tier });
  const hindrance = await installPrograms(plan().flatMap(({ files }) => files), {
    postgres: plan().some(({ engine }) => engine === "postgres"),
    install,
    report: print,
  });
  for (const engine of ENGINES) {
    const wanted = plan().filter((part) => part.engine === engine);
    if (wanted.length === 0) continue;
    const prepared: PreparedEngine = await prepareEngine(engine, {
      folder,
      dataFolder,
      hindrance,
      report: print,
    });
    if (prepared.outcome === "ready") {
      envs.set(engine, prepared.env);
      if (prepared.processId !== undefined) report.servers.push(prepared.processId);
      continue;
    }
    engines = engines.filter((other) => other !== engine);
    const lost = new Set(wanted.flatMap(({ files }) => files));
    for (const { files } of plan()) files.forEach((file) => lost.delete(file));
    const line = `${ENGINE_NAMES[engine]}: ${prepared.reason}`;
    if (prepared.outcome === "failed") report.fail(line);
    else report.skip(`tests on ${line}`, lost.size);
  }
  const parts = plan().filter(({ engine }) => engine === undefined || envs.has(engine));
  return { parts, envs };
}

/** Whether what sends messages differs from the main branch. Without git, false. */
async function isQueueChanged(): Promise<boolean> {
  const { stdout } = await new Deno.Command("git", {
    args: [
      "diff",
      "--name-only",
      "origin/main",
      "--",
      "supabase/functions/_shared/dispatching",
      ...QUEUE_SQL,
    ],
    cwd: ROOT,
    stderr: "null",
  }).output().catch(() => ({ stdout: new Uint8Array() }));
  return stdout.length > 0;
}

async function main(args: string[]): Promise<number> {
  const controller = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    Deno.addSignalListener(signal, () => controller.abort());
  }
  try {
    const options = readOptions(args);
    if (options !== "help") return await run(options, controller.signal);
    print(USAGE);
    return 0;
  } catch (error) {
    print(`${(error as Error).message}\n0 passed, 1 failed`);
    return 1;
  }
}

if (import.meta.main) Deno.exit(await main(Deno.args));
