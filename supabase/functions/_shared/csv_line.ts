/** What makes a spreadsheet take a text for a formula (OWASP, "CSV Injection"), the full-width forms included. */
const STARTS_FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;
const NEEDS_QUOTES = /[",\r\n]/;

/**
 * One record of a CSV file, with its line end, by RFC 4180. Nothing is an empty cell. A text that a spreadsheet would
 * run as a formula gets an apostrophe in front; numbers stay what they are.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { csvLine } from "./csv_line.ts";
 *
 * assert.equal(csvLine(["a", null, 'say "b"', -1, "=1+1"]), 'a,,"say ""b""",-1,\'=1+1\r\n');
 * ```
 */
export function csvLine(cells: readonly (string | number | null)[]): string {
  return `${cells.map(csvCell).join(",")}\r\n`;
}

function csvCell(value: string | number | null): string {
  if (typeof value !== "string") return value === null ? "" : String(value);
  const text = STARTS_FORMULA.test(value) ? `'${value}` : value;
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
