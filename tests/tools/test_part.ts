import { join } from "node:path";
import { cpuSeconds } from "./cpu_time.ts";
import { type FileCounts, readJunitReport, sumCounts, type TestCounts } from "./junit_report.ts";

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
  /** Processor time of `deno test` and of the processes that it ended, in seconds; undefined if unknown. */
  cpuS?: number;
  /** Failures beside failed tests, such as a file that could not be loaded. */
  problems: string[];
  byFile: FileCounts[];
  /** Files of which a test failed at first and none when they ran again (`runWithSecondTry`). */
  unsteady: string[];
}

const MAX_RUN_MS = 20 * 60_000;
const WATCH_MS = 500;

/** Runs one `deno test`, which writes to our output, and counts its tests by its JUnit report. */
export async function runTestPart(options: TestPartOptions): Promise<TestPartResult> {
  if (options.signal.aborted) return nothing("not started"); // a child started now would miss the signal
  const report = join(options.folder, `${crypto.randomUUID()}.xml`);
  const { jobs = 1 } = options;
  const limit = AbortSignal.timeout(MAX_RUN_MS);
  const child = new Deno.Command(Deno.execPath(), {
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
    stdin: "null",
    stdout: options.output ?? "inherit",
    stderr: options.output ?? "inherit",
    signal: AbortSignal.any([options.signal, limit]),
  }).spawn();
  let cpuS: number | undefined;
  const watch = setInterval(() => {
    void cpuSeconds(child.pid).then((seconds) => cpuS = seconds ?? cpuS);
  }, WATCH_MS);
  const { code } = await child.status.finally(() => clearInterval(watch));
  if (limit.aborted) return nothing(`stopped after ${MAX_RUN_MS / 60_000} minutes`);
  const xml = await Deno.readTextFile(report).catch(() => undefined);
  if (xml === undefined) return nothing(`deno test ended with code ${code} and no report`);
  return { ...judge(xml, code, options.expected), ...cpuS === undefined ? {} : { cpuS } };
}

function judge(xml: string, code: number, expected: string[]): TestPartResult {
  const byFile = readJunitReport(xml);
  const counts = sumCounts(byFile);
  const seen = new Set(byFile.map(({ file }) => file));
  const problems = code === 0
    ? []
    : expected.filter((file) => !seen.has(file)).map((file) => `${file}: no test ran`);
  if (code !== 0 && counts.failed === 0 && problems.length === 0) {
    problems.push(`deno test ended with code ${code}`);
  }
  return { ...counts, failed: counts.failed + problems.length, problems, unsteady: [], byFile };
}

function nothing(problem: string): TestPartResult {
  return { passed: 0, failed: 1, skipped: 0, problems: [problem], unsteady: [], byFile: [] };
}
