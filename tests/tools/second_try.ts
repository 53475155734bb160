import { sumCounts } from "./junit_report.ts";
import { runTestPart, type TestPartOptions, type TestPartResult } from "./test_part.ts";

/** More than that is no coincidence. */
const MAX_FILES = 3;

/**
 * Runs a part, and once more, alone, the files of it in which a test failed: a machine that others use as well may stand
 * still for longer than a lease or a browser's wait. What passes only then is counted as passed and named
 * as unsteady, so that nobody overlooks it. A part with more than three such files, or with a file that could not be
 * loaded, is not run again. After a run that was stopped, the files of which a test had not begun run too; after one
 * whose process died, and took the results of all files with it, every file does.
 */
export async function runWithSecondTry(options: TestPartOptions): Promise<TestPartResult> {
  const first = await runTestPart(options);
  if (isWithoutReport(first) && !options.signal.aborted) {
    const second = await runTestPart(options);
    return { ...second, ...cpuOf(first, second), stops: [...first.problems, ...second.stops] };
  }
  const failed = first.byFile.filter((each) => each.failed > 0).map(({ file }) => file);
  const again = [...new Set([...failed, ...first.notBegun])];
  if (again.length === 0 || failed.length > MAX_FILES || first.problems.length > 0) return first;
  const second = await runTestPart({
    ...options,
    files: again,
    expected: again,
    jobs: 1,
    env: { ...options.env, TEST_NOTES: "" }, // the first try has noted what it skipped
  });
  const byFile = [...first.byFile.filter(({ file }) => !again.includes(file)), ...second.byFile];
  const counts = sumCounts(byFile);
  return {
    ...second,
    ...counts,
    failed: counts.failed + second.problems.length + second.notBegun.length,
    ...cpuOf(first, second),
    unsteady: second.byFile.filter((each) => each.failed === 0 && failed.includes(each.file)).map((
      { file },
    ) => file),
    stops: [...first.stops, ...second.stops],
    byFile,
  };
}

function isWithoutReport({ byFile, problems }: TestPartResult): boolean {
  return byFile.length === 0 && problems.length > 0;
}

function cpuOf(...tries: TestPartResult[]): { cpuS?: number } {
  const times = tries.map(({ cpuS }) => cpuS).filter((cpuS) => cpuS !== undefined);
  return times.length === 0 ? {} : { cpuS: times.reduce((sum, each) => sum + each) };
}
