import { formatCell } from "./format_cell.ts";

/** One thing, each of its fields on a line, the values aligned; further lines of a value stand below its first. */
export function renderFields(fields: [name: string, value: unknown][]): string {
  const width = Math.max(...fields.map(([name]) => name.length)) + 2;
  const below = `\n${" ".repeat(width)}`;
  return fields.map(([name, value]) => name.padEnd(width) + formatCell(value).replaceAll("\n", below)).join(
    "\n",
  );
}
