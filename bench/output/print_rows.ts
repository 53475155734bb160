import { print } from "../../cli/terminal/print.ts";
import { renderTable } from "../../cli/terminal/render.ts";
import type { Row } from "../measures/measure.ts";

/** Prints the table of a run. */
export function printRows(rows: Row[]): void {
  print(renderTable<Row>(
    [
      ["work", (row) => row.work],
      ["against", (row) => row.against],
      ["ours", (row) => row.ours],
      ["theirs", (row) => row.theirs],
      ["ratio", (row) => row.ratio?.toFixed(2) ?? "-"],
      ["aim", (row) => row.aim ?? "-"],
      ["", (row) => verdict(row)],
    ],
    rows,
    "Nothing was measured",
  ));
}

function verdict({ met }: Row): string {
  return met === undefined ? "" : met ? "met" : "not met";
}
