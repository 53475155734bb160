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
}

export interface TestPartResult extends TestCounts {
  /** Processor time of `deno test` and of the processes that it ended, in seconds; 0 if unknown. */
  cpuS: number;
  /** Faults beside failed tests, such as a process that died. Each counts as one failure. */
  problems: string[];
  /** Tests that failed, a line each: file, name and message. */
  failures: string[];
  /** Files of which a test failed, and none when they ran again, alone. The test counts as failed. */
  unsteady: string[];
}

/** One `deno test`. */
interface Try {
  cpuS: number;
  byFile: FileCounts[];
  problems: string[];
  /** Files with tests that did not run, because the process hung or died. */
  lost: string[];
}

/** The result of a run without any test. */
export const NO_TESTS: Readonly<TestPartResult> = {
  ...{ passed: 0, failed: 0, skipped: 0, cpuS: 0, problems: [], failures: [], unsteady: [] },
};

/** When more files fail than that, a second try of them says nothing more. */
const MAX_TRIED_AGAIN = 3;

/**
 * Runs one part of the tests, and a second time, alone, the files of it in which a test failed: the output of both tries
 * says whether the test is unsteady. A test that failed once has failed. Files whose results went with a process that
 * hung or died run again too, so that their tests are counted; the loss is a failure.
 */
export async function runTestPart(options: TestPartOptions): Promise<TestPartResult> {
  const first = await runOnce(options);
  const failed = first.byFile.filter((file) => file.failed > 0).map(({ file }) => file);
  const again = [...new Set([...failed.length > MAX_TRIED_AGAIN ? [] : failed, ...first.lost])];
  if (again.length === 0 || options.signal.aborted) return judge(first);
  const diedWithAll = first.byFile.length === 0;
  const second = await runOnce({
    ...options,
    ...diedWithAll ? {} : { files: again, expected: again, jobs: 1 },
    env: { ...options.env, TEST_NOTES: diedWithAll ? options.env.TEST_NOTES ?? "" : "" },
  });
  return judge(first, second);
}

/** Joins the tries of a part: of each file, the worse counts. */
function judge(first: Try, second?: Try): TestPartResult {
  const byFile = new Map(first.byFile.map((counts) => [counts.file, counts]));
  const unsteady: string[] = [];
  for (const counts of second?.byFile ?? []) {
    const before = byFile.get(counts.file)?.failed ?? 0;
    if (before > 0 && counts.failed === 0) unsteady.push(counts.file);
    const failed = Math.max(before, counts.failed);
    byFile.set(counts.file, { ...counts, failed, passed: counts.passed + counts.failed - failed });
  }
  const counts = sumCounts([...byFile.values()]);
  const problems = [...first.problems, ...second?.problems ?? []];
  const cpuS = first.cpuS + (second?.cpuS ?? 0);
  const failures = first.byFile.flatMap((each) =>
    each.failures.map((failure) => `${each.file} => ${failure}`)
  );
  return { ...counts, failed: counts.failed + problems.length, cpuS, problems, failures, unsteady };
}

/**
 * Runs one `deno test`, which writes to our output, and counts its tests by its JUnit report.
 *
 * A test that does not end would take the results of all others with it. So a run in which no test ends for too long gets
 * SIGINT, upon which `deno test` names the tests that are going on and still writes its report.
 */
async function runOnce(options: TestPartOptions): Promise<Try> {
  if (options.signal.aborted) return { cpuS: 0, byFile: [], problems: ["not started"], lost: [] };
  const { jobs = 1, expected } = options;
  const report = join(options.folder, `${crypto.randomUUID()}.xml`);
  const { code, cpuS, stopped, lastLines } = await runWatchedProcess({
    args: [
      ...["test", "-A", "--no-prompt", "--sanitize-ops", "--sanitize-resources", `--junit-path=${report}`],
      ...(jobs > 1 ? ["--parallel"] : []),
      ...options.args,
      ...options.files,
    ],
    cwd: options.root,
    env: { ...options.env, DENO_JOBS: String(jobs), DENO_NO_UPDATE_CHECK: "1" },
    output: options.output ?? "inherit",
    signal: options.signal,
  });
  const xml = await Deno.readTextFile(report).catch(() => undefined);
  const ended = stopped === undefined ? `ended with code ${code}` : `was stopped after ${stopped}`;
  if (xml === undefined) {
    const problem = `deno test ${ended} and no report; its last lines:\n  ${lastLines.join("\n  ")}`;
    return { cpuS, byFile: [], problems: [problem], lost: options.files };
  }
  const byFile = readJunitReport(xml);
  const missing = expected.filter((file) => byFile.every((counts) => counts.file !== file));
  if (stopped !== undefined) {
    const partly = byFile.filter(({ file, leftOut }) => leftOut > 0 && expected.includes(file));
    const names = byFile.flatMap(({ file, cancelled }) => cancelled.map((name) => `${name} (${file})`));
    const goingOn = names.length === 0 ? "no test was going on" : `still going on: ${names.join(", ")}`;
    const lost = [...missing, ...partly.map(({ file }) => file)];
    return { cpuS, byFile, problems: [`deno test ${ended}; ${goingOn}`], lost };
  }
  const problems = code === 0 ? [] : missing.map((file) => `${file}: no test ran`);
  if (code !== 0 && problems.length === 0 && sumCounts(byFile).failed === 0) {
    problems.push(`deno test ${ended}`);
  }
  return { cpuS, byFile, problems, lost: [] };
}
