/** How many tests ended how. */
export interface TestCounts {
  passed: number;
  failed: number;
  skipped: number;
}

/** The tests of one file. */
export interface FileCounts extends TestCounts {
  /** The file's path from the root, such as `tests/a_test.ts`. */
  file: string;
}

/**
 * Counts the tests of a report written by `deno test --junit-path`, file by file. Steps are not counted, their test is;
 * tests a `--filter` left out are not counted either.
 */
export function readJunitReport(xml: string): FileCounts[] {
  return xml.split("<testsuite ").slice(1).map((suite) => {
    const file = attribute(suite, "name").replace(/^\.\//, "");
    const counts: FileCounts = { file, passed: 0, failed: 0, skipped: 0 };
    const cases = suite.split("<testcase ").slice(1);
    const names = new Set(cases.map((testcase) => attribute(testcase, "name")));
    for (const testcase of cases) {
      if (isStep(attribute(testcase, "name"), names)) continue;
      const outcome = outcomeOf(testcase);
      if (outcome !== "left out") counts[outcome]++;
    }
    return counts;
  });
}

/** The sum of all files. */
export function sumCounts(files: readonly TestCounts[]): TestCounts {
  const sum = (outcome: keyof TestCounts) => files.reduce((total, file) => total + file[outcome], 0);
  return { passed: sum("passed"), failed: sum("failed"), skipped: sum("skipped") };
}

/** Deno writes filtered-out tests like ignored ones, but without a time. */
function outcomeOf(testcase: string): "passed" | "failed" | "skipped" | "left out" {
  if (/<(failure|error)[ >]/.test(testcase)) return "failed";
  if (!testcase.includes("<skipped")) return "passed";
  return / time="/.test(testcase) ? "skipped" : "left out";
}

function isStep(name: string, names: Set<string>): boolean {
  const separator = " &gt; ";
  for (let end = name.indexOf(separator); end >= 0; end = name.indexOf(separator, end + 1)) {
    if (names.has(name.slice(0, end))) return true;
  }
  return false;
}

function attribute(element: string, name: string): string {
  return new RegExp(`${name}="([^"]*)"`).exec(element)?.[1] ?? "";
}
