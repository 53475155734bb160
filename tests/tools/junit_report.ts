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
  /** Tests that did not run: left out by `--filter`, or behind the one that was going on when the run was stopped. */
  leftOut: number;
  /** Names, as XML has them, of the tests among those that failed that were going on when the run was stopped. */
  cancelled: string[];
  /** Tests and steps that failed, a line each: name and message. */
  failures: string[];
}

/** Longer messages are cut: they are whole in the output. */
const MAX_MESSAGE_CHARS = 300;

/**
 * Counts the tests of a report written by `deno test --junit-path`, file by file. Steps are not counted, their test is.
 */
export function readJunitReport(xml: string): FileCounts[] {
  return xml.split("<testsuite ").slice(1).map((suite) => {
    const file = attribute(suite, "name").replace(/^\.\//, "");
    const counts: FileCounts = {
      file,
      passed: 0,
      failed: 0,
      skipped: 0,
      leftOut: 0,
      cancelled: [],
      failures: [],
    };
    const cases = suite.split("<testcase ").slice(1);
    const names = new Set(cases.map((testcase) => attribute(testcase, "name")));
    for (const testcase of cases) {
      const name = attribute(testcase, "name");
      const message = /<(?:failure|error) message="([^"]*)"/.exec(testcase)?.[1];
      if (message !== undefined) {
        counts.failures.push(readText(`${name}: ${message}`).slice(0, MAX_MESSAGE_CHARS));
      }
      if (isStep(name, names)) continue;
      counts[outcomeOf(testcase)]++;
      if (testcase.includes('<error message="Cancelled"/>')) counts.cancelled.push(name);
    }
    return counts;
  });
}

/** The sum of all files. */
export function sumCounts(files: readonly TestCounts[]): TestCounts {
  const sum = (outcome: keyof TestCounts) => files.reduce((total, file) => total + file[outcome], 0);
  return { passed: sum("passed"), failed: sum("failed"), skipped: sum("skipped") };
}

/** Deno writes tests that did not run like ignored ones, but without a time. */
function outcomeOf(testcase: string): "passed" | "failed" | "skipped" | "leftOut" {
  if (/<(failure|error)[ >]/.test(testcase)) return "failed";
  if (!testcase.includes("<skipped")) return "passed";
  return / time="/.test(testcase) ? "skipped" : "leftOut";
}

function isStep(name: string, names: Set<string>): boolean {
  const separator = " &gt; ";
  for (let end = name.indexOf(separator); end >= 0; end = name.indexOf(separator, end + 1)) {
    if (names.has(name.slice(0, end))) return true;
  }
  return false;
}

/** XML's text on one line. */
function readText(xml: string): string {
  const entities: Record<string, string> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };
  return xml.replace(/&(lt|gt|quot|apos|amp);/g, (_, name) => entities[name]!).replace(/\s+/g, " ");
}

function attribute(element: string, name: string): string {
  return new RegExp(`${name}="([^"]*)"`).exec(element)?.[1] ?? "";
}
