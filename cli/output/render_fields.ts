import { formatCell } from "./format_cell.ts";

/** One thing, a line for each of its fields, the values aligned. */
export function renderFields(fields: [name: string, value: unknown][]): string {
  const width = Math.max(...fields.map(([name]) => name.length)) + 2;
  return fields.map(([name, value]) => `${name.padEnd(width)}${formatCell(value)}`).join("\n");
}
