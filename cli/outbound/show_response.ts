import { type Column, renderFields, renderTable } from "../terminal/render.ts";

/** Below a table of a test company. */
const OF_TEST = "Test company: none of this has reached a person";

type Fields = Record<string, unknown>;

/**
 * Renders what the API responded for people: a list as a table, anything else as fields, with the lists in it below.
 *
 * @param columns the width of the terminal; a table leaves out the columns that do not fit
 */
export function showResponse(value: unknown, columns: number | undefined): string {
  if (Array.isArray(value)) return showTable(value, columns);
  if (!isFields(value)) return renderFields([["value", value]]);
  const { next, test, ...fields } = value;
  const [only, ...others] = Object.entries(fields);
  if (only && others.length === 0 && Array.isArray(only[1])) {
    const notes = [...next ? ["… and more: --all"] : [], ...test === true ? [OF_TEST] : []];
    return [showTable(only[1], columns), ...notes].join("\n");
  }
  return showFields(value, columns);
}

function showFields(value: Fields, columns: number | undefined): string {
  const all = flatten(value, "");
  const tables = all.filter(([, each]) => isTable(each)) as [string, Fields[]][];
  const plain = all.filter(([, each]) => !isTable(each)).map((
    [name, each],
  ): [string, unknown] => [name, cellOf(each)]);
  return [
    ...plain.length > 0 ? [renderFields(plain)] : [],
    ...tables.map(([name, rows]) => `${name}\n${showTable(rows, columns)}`),
  ].join("\n\n") || "Done";
}

/** The rows that decide which columns fit. */
const MEASURED_ROWS = 100;

/** Renders rows with a column for each of their plain fields. */
function showTable(rows: unknown[], width = Infinity): string {
  const flat = rows.map((row) => isFields(row) ? Object.fromEntries(flatten(row, "")) : { value: row });
  const names = [...new Set(flat.flatMap((row) => Object.keys(row)))]
    .filter((name) => flat.some((row) => (row[name] ?? null) !== null && !isTable(row[name])));
  const columns = names.map((
    name,
  ): Column<Fields> => [name.toUpperCase(), (row) => oneLine(cellOf(row[name]))]);
  const measured = flat.slice(0, MEASURED_ROWS);
  const fits = (count: number) =>
    renderTable(columns.slice(0, count), measured, "").split("\n").every((line) => line.length <= width);
  let count = columns.length;
  while (count > 1 && !fits(count)) count--;
  const table = renderTable(columns.slice(0, count), flat, "None");
  const left = names.slice(count);
  return left.length > 0 ? `${table}\n… and ${left.join(", ")}: --json` : table;
}

/** Names the fields of fields with dots. */
function flatten(fields: Fields, above: string): [string, unknown][] {
  return Object.entries(fields).flatMap(([name, value]): [string, unknown][] =>
    isFields(value) && Object.keys(value).length > 0
      ? flatten(value, `${above}${name}.`)
      : [[`${above}${name}`, value]]
  );
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isTable(value: unknown): boolean {
  return Array.isArray(value) && value.some(isFields);
}

function cellOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.join(", ");
  return isFields(value) ? "" : value;
}

function oneLine(value: unknown): unknown {
  return typeof value === "string" ? value.replaceAll(/[\r\n]+/g, " ") : value;
}
