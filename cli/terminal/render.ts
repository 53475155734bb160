import Table from "cli-table3";
import { showControls } from "../../supabase/functions/_shared/show_controls.js";

export { snakeKeys } from "../../supabase/functions/_shared/values/objects.ts";

/** One column of a table: its heading, and the value of a row. */
export type Column<Row> = [title: string, value: (row: Row) => unknown];

const NO_BORDERS = {
  "top": "",
  "top-mid": "",
  "top-left": "",
  "top-right": "",
  "bottom": "",
  "bottom-mid": "",
  "bottom-left": "",
  "bottom-right": "",
  "left": "",
  "left-mid": "",
  "mid": "",
  "mid-mid": "",
  "right": "",
  "right-mid": "",
  "middle": "  ",
};

/** Renders aligned columns without lines, numbers to the right; `whenEmpty` replaces a table without rows. */
export function renderTable<Row>(columns: Column<Row>[], rows: Row[], whenEmpty: string): string {
  if (rows.length === 0) return whenEmpty;
  const first = rows[0]!;
  const table = new Table({
    head: columns.map(([title]) => title),
    colAligns: columns.map(([, value]) => typeof value(first) === "number" ? "right" : "left"),
    chars: NO_BORDERS,
    style: { head: [], border: [], "padding-left": 0, "padding-right": 0 },
  });
  table.push(...rows.map((row) => columns.map(([, value]) => formatCell(value(row)))));
  return table.toString().replace(/(?<! ) +$/gm, "");
}

/** Renders the fields of one thing, one per line, the values aligned; further lines of a value go below its first. */
export function renderFields(fields: [name: string, value: unknown][]): string {
  const width = Math.max(...fields.map(([name]) => name.length)) + 2;
  const below = `\n${" ".repeat(width)}`;
  return fields.map(([name, value]) => name.padEnd(width) + formatCell(value).replaceAll("\n", below)).join(
    "\n",
  );
}

const TAB = "    ";

/**
 * Formats one value for a table: times in UTC to the minute, nothing as `-`. Escapes control characters, so that texts of
 * strangers cannot steer the terminal.
 */
function formatCell(value: unknown): string {
  if (value === null || value === undefined || value === "") return "-";
  if (value instanceof Date) return `${value.toISOString().slice(0, 16).replace("T", " ")}Z`;
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return value.toLocaleString("en-US");
  return showControls(String(value)).replaceAll("\t", TAB);
}
