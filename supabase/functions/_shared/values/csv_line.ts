/**
 * Where a spreadsheet may begin a formula: a sign (OWASP, "CSV Injection", the full-width forms included) at the start of
 * a cell. One that splits at semicolons or tabs, as most of Europe's do, begins cells inside our quotes too: there they do
 * not stand at the start of its cell, so it takes them for text.
 */
const FORMULA_START = /(^|[;\t\r\n])((?:[^\S\t\r\n]|")*)(?=[=+\-@＝＋－＠])/g;
/** White space that a spreadsheet drops before it looks at what follows. */
const DROPPED_START = /^[\t\r\n]/;
const NEEDS_QUOTES = /[",;\t\r\n]/;

/**
 * One record of a CSV file, with its line end, by RFC 4180. A missing value is an empty cell. A text that a
 * spreadsheet would run as a formula gets an apostrophe in front, wherever its cell may begin; numbers stay as they are.
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
  const text = value.replace(FORMULA_START, "$1$2'").replace(DROPPED_START, "'$&");
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
