import type { Row } from "../measures/measure.ts";
import { putBetween } from "./between_marks.ts";
import { readResults, type Results } from "./results.ts";
import { rootFolder } from "../setup/processes.ts";

const MARKS = {
  begin: "<!-- From bench/results.json, by `deno task bench --table` -->\n\n",
  end: "\n<!-- End of what is from bench/results.json -->\n",
};

/** Puts the results into the page, between two markers. */
export function withResults(page: string, results: Results): string {
  return putBetween(page, MARKS, renderResults(results));
}

/** Writes the results into docs/performance.md. */
export async function updatePage(): Promise<void> {
  const page = `${rootFolder()}docs/performance.md`;
  const results = await readResults(`${rootFolder()}bench/results.json`);
  await Deno.writeTextFile(page, withResults(await Deno.readTextFile(page), results));
}

function renderResults({ measures }: Results): string {
  const results = Object.entries(measures);
  if (results.length === 0) return "Nothing has been measured yet.\n";
  const rows = results.flatMap(([name, { rows }]) => rows.map((row) => rowCells(name, row)));
  const runs = Map.groupBy(results, ([, { date, commit, quick, machine }]) =>
    JSON.stringify([
      date.slice(0, 10),
      commit,
      quick ? "quick" : "full",
      `${machine.cpu}, ${machine.cores} cores, ${machine.memory_gb} GB`,
      machine.deno,
      machine.postgres,
    ]));
  return [
    markdownTable(["measure", "work", "against", "aim", "ours", "theirs", "ratio", "aim met"], rows),
    "\n",
    markdownTable(
      ["measures", "on", "commit", "run", "machine", "Deno", "Postgres"],
      [...runs].map(([run, results]) => [results.map(([name]) => name).join(", "), ...JSON.parse(run)]),
    ),
  ].join("");
}

function rowCells(measure: string, { work, against, aim, ours, theirs, ratio, met }: Row): string[] {
  const verdict = met === undefined ? "" : met ? "yes" : "**no**";
  return [measure, work, against, aim ?? "", ours, theirs, ratio?.toFixed(2) ?? "", verdict];
}

/** As `deno fmt` leaves a table: every cell as wide as the widest of its column. */
export function markdownTable(head: string[], rows: string[][]): string {
  const cells = [head, ...rows].map((row) => row.map((cell) => cell.replaceAll("|", "\\|")));
  const widths = head.map((_, column) => Math.max(3, ...cells.map((row) => row[column]!.length)));
  const line = (row: string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(" | ")} |\n`;
  const [top, ...others] = cells.map(line);
  return [top, line(widths.map((width) => "-".repeat(width))), ...others].join("");
}
