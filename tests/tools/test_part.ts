import { join } from "node:path";
import { type FileCounts, readJunitReport, sumCounts, type TestCounts } from "./junit_report.ts";
import { runWatchedProcess } from "./watched_process.ts";

export interface TestPartOptions {
  /** Working directory: the root of the repository. */
  root: string;
  /** Arguments of `deno test` after the fixed flags: `--filter`, `--doc`, `--no-check`. */
  args: string[];
  /** The modules to run. */
  files: string[];
  /** How many files run at the same time. @default 1 */
  jobs?: number;
  /** Files that must appear in the report; one that does not has failed to load. */
  expected: string[];
  env: Record<string, string>;
  /** Folder for the report. */
  folder: string;
  signal: AbortSignal;
  /** Where the output of `deno test` goes. @default "inherit" */
  output?: "inherit" | "null";
  /** The run is stopped after this time in which no test ends, in milliseconds. @default 360_000 */
  maxSilenceMs?: number;
}

export interface TestPartResult extends TestCounts {
  /** Processor time of `deno test` and of the processes that it ended, in seconds; undefined if unknown. */
  cpuS?: number;
  /** Failures beside failed tests, such as a file that could not be loaded. */
  problems: string[];
  byFile: FileCounts[];
  /** Files of which a test failed at first and none when they ran again (`runWithSecondTry`). */
  unsteady: string[];
  /** Why the run was stopped, with the tests that were going on. These count as failed. */
  stops: string[];
  /** Files with tests that had not begun when the run was stopped. */
  notBegun: string[];
}

/** The result of a run without any test. */
export const NO_TESTS: Readonly<TestPartResult> = {
  ...{ passed: 0, failed: 0, skipped: 0, byFile: [] },
  ...{ problems: [], unsteady: [], stops: [], notBegun: [] },
};

const MAX_RUN_MS = 40 * 60_000;
/** `deno test` prints each result at once, and the longest test takes three minutes on a free machine. */
const MAX_SILENCE_MS = 6 * 60_000;
/** `deno test` prints this about a test after one, two, four minutes and so on. */
const STILL_RUNNING = "has been running for over";

/**
 * Runs one `deno test`, which writes to our output, and counts its tests by its JUnit report.
 *
 * A test that does not end would take the results of all others with it. So a run in which no test ends, or that goes on, for
 * too long gets SIGINT, upon which `deno test` names the tests that are going on and still writes its report.
 */
export async function runTestPart(options: TestPartOptions): Promise<TestPartResult> {
  if (options.signal.aborted) return failure("not started"); // a child started now would miss the signal
  const report = join(options.folder, `${crypto.randomUUID()}.xml`);
  const { jobs = 1 } = options;
  const { code, cpuS, stopped } = await runWatchedProcess({
    args: [
      "test",
      "-A",
      "--no-prompt",
      "--sanitize-ops",
      "--sanitize-resources",
      `--junit-path=${report}`,
      ...(jobs > 1 ? ["--parallel"] : []),
      ...options.args,
      ...options.files,
    ],
    cwd: options.root,
    env: { ...options.env, DENO_JOBS: String(jobs), DENO_NO_UPDATE_CHECK: "1" },
    output: options.output ?? "inherit",
    signal: options.signal,
    isProgress: (output) => !output.includes(STILL_RUNNING),
    maxSilenceMs: options.maxSilenceMs ?? MAX_SILENCE_MS,
    maxRunMs: MAX_RUN_MS,
  });
  const xml = await Deno.readTextFile(report).catch(() => undefined);
  const ended = stopped === undefined ? `ended with code ${code}` : `was stopped after ${stopped}`;
  if (xml === undefined) return failure(`deno test ${ended} and no report`);
  const cpu = cpuS === undefined ? {} : { cpuS };
  if (stopped !== undefined) return { ...judgeStopped(xml, stopped, options.expected), ...cpu };
  return { ...judge(xml, code, options.expected), ...cpu };
}

function judge(xml: string, code: number, expected: string[]): TestPartResult {
  const byFile = readJunitReport(xml);
  const counts = sumCounts(byFile);
  const problems = code === 0 ? [] : missing(byFile, expected).map((file) => `${file}: no test ran`);
  if (code !== 0 && counts.failed === 0 && problems.length === 0) {
    problems.push(`deno test ended with code ${code}`);
  }
  return { ...NO_TESTS, ...counts, failed: counts.failed + problems.length, problems, byFile };
}

function judgeStopped(xml: string, stopped: string, expected: string[]): TestPartResult {
  const byFile = readJunitReport(xml);
  const counts = sumCounts(byFile);
  const pending = byFile.flatMap(({ file, cancelled }) => cancelled.map((name) => `${name} (${file})`));
  const partly = byFile.filter(({ file, leftOut }) => leftOut > 0 && expected.includes(file)).map((
    { file },
  ) => file);
  const notBegun = [...missing(byFile, expected), ...partly];
  const goingOn = pending.length === 0 ? "no test was going on" : `still going on: ${pending.join(", ")}`;
  return {
    ...NO_TESTS,
    ...counts,
    failed: Math.max(1, counts.failed + notBegun.length),
    byFile,
    stops: [`after ${stopped}; ${goingOn}`],
    notBegun,
  };
}

function missing(byFile: FileCounts[], expected: string[]): string[] {
  const seen = new Set(byFile.map(({ file }) => file));
  return expected.filter((file) => !seen.has(file));
}

function failure(problem: string): TestPartResult {
  return { ...NO_TESTS, failed: 1, problems: [problem] };
}
