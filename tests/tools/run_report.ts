import { join } from "node:path";
import { NO_TESTS, type TestPartResult } from "./test_part.ts";
import { cpuSeconds, duration } from "./time.ts";

/** Collects and prints the results of a run. */
export class RunReport {
  /** Process ids of database servers, whose processor time is counted. */
  readonly servers: number[] = [];
  /** Where tests note that they were skipped, one line each. */
  readonly notesFile: string;
  readonly #started = Date.now();
  readonly #reports: string;
  readonly #results: TestPartResult[] = [];
  readonly #notes: string[] = [];
  #serverS = 0;

  /** @param reports where the JUnit reports stay; in the run's folder when absent */
  constructor(folder: string, reports = folder) {
    this.#reports = reports;
    this.notesFile = join(folder, "notes");
    Deno.mkdirSync(reports, { recursive: true });
  }

  /** Runs one `deno test`, printing before and after it what it is and what it took. */
  async step(name: string, run: (reports: string) => Promise<TestPartResult>): Promise<void> {
    printLine(`\n== ${name}, ${duration(Date.now() - this.#started)} since the start`);
    const start = Date.now();
    const result = await run(this.#reports);
    const took = `${duration(Date.now() - start)}, ${result.cpuS.toFixed(0)} s of CPU`;
    printLine(`== ${name}: ${result.passed} passed, ${result.failed} failed in ${took}`);
    this.#results.push({ ...result, problems: result.problems.map((problem) => `${name}: ${problem}`) });
  }

  /** Counts something that went wrong beside the tests as one failure. */
  fail(problem: string): void {
    this.#results.push({ ...NO_TESTS, failed: 1, problems: [problem] });
  }

  /** Notes what could not run here. */
  skip(note: string, files: number): void {
    this.#notes.push(note);
    this.#results.push({ ...NO_TESTS, skipped: files });
  }

  /** Adds the processor time of the database servers, which run until the end. */
  async readServers(): Promise<void> {
    const times = await Promise.all(this.servers.map(cpuSeconds));
    this.#serverS = times.reduce<number>((sum, seconds) => sum + (seconds ?? 0), 0);
  }

  /** Prints what was skipped and what failed, then the counts; returns the exit code. */
  summarise(aborted: boolean): number {
    const cpuS = this.#results.reduce((sum, result) => sum + result.cpuS, this.#serverS);
    const servers = `${this.#serverS.toFixed(0)} s of them in database servers`;
    printLine(`\nTook ${duration(Date.now() - this.#started)}, ${cpuS.toFixed(0)} s of CPU, ${servers}`);
    for (const file of this.#results.flatMap((result) => result.unsteady)) {
      printLine(`unsteady: ${file} passed at its second try only; the output of both tries is above`);
    }
    for (const note of this.#notes) printLine(`skipped: ${note}`);
    for (const { problems, failures } of this.#results) {
      for (const failure of [...problems, ...failures]) printLine(`failed: ${failure}`);
    }
    if (aborted) printLine("stopped before the end");
    const total = (count: "passed" | "failed" | "skipped") =>
      this.#results.reduce((sum, result) => sum + result[count], 0);
    const skipped = total("skipped") > 0 ? `, ${total("skipped")} skipped` : "";
    printLine(`${total("passed")} passed, ${total("failed")} failed${skipped}`);
    return total("failed") > 0 || total("passed") === 0 || aborted ? 1 : 0;
  }

  /** Counts tests that returned early through `skipped()`, which `deno test` counts as passed. */
  readNotes(): void {
    const text = readIfThere(this.notesFile);
    const lines = text.split("\n").filter((line) => line !== "");
    this.#notes.push(...lines);
    this.#results.push({ ...NO_TESTS, passed: -lines.length, skipped: lines.length });
  }
}

/** Prints a line before anything else is written. */
export function printLine(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}

function readIfThere(path: string): string {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return "";
  }
}
