import { renderTable } from "../cli/output/render_table.ts";
import { print } from "../cli/print.ts";
import type { Row } from "./measures/measure.ts";

/** Prints the table of a run. */
export function printRows(rows: Row[]): void {
  print(renderTable<Row>(
    [
      ["work", (row) => row.work],
      ["against", (row) => row.against],
      ["ours", (row) => row.ours],
      ["theirs", (row) => row.theirs],
      ["ratio", (row) => row.ratio.toFixed(2)],
      ["aim", (row) => row.aim ?? "–"],
      ["", (row) => row.met === undefined ? "–" : row.met ? "met" : "not met"],
    ],
    rows,
    "Nothing was measured",
  ));
}
