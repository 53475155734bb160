import Table from "cli-table3";
import { formatCell } from "./format_cell.ts";

/** One column of a table: its heading and what stands below it. */
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

/** Aligned columns without lines, numbers to the right; `whenEmpty` stands in for a table without rows. */
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
  return table.toString().replace(/ +$/gm, "");
}
