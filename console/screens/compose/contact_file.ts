import { csvRows, parseCsv } from "./csv_rows.ts";

/** The cells of a row by the names of their columns. */
export type Cells = Record<string, string>;

/** A file of contacts, of which only the beginning is read. */
export interface ContactFile {
  name: string;
  body: Blob;
  type: "text/csv" | "application/x-ndjson";
  columns: string[];
  /** The first rows. */
  rows: Cells[];
  /** How many rows it has; a guess from its size where only its beginning was read. */
  count: number;
  isExact: boolean;
}

/** Why a file cannot be used. */
export type FileFault = "spreadsheet" | "encoding" | "empty" | "large" | "json";

/** Enough for the first rows, and read in an instant. */
const HEAD_BYTES = 256 * 1024;
const SHOWN_ROWS = 20;

/** The API takes no more. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Reads the beginning of a file: its columns and its first rows. */
export async function readContactFile(file: File): Promise<ContactFile | FileFault> {
  if (file.size > MAX_BYTES) return "large";
  const bytes = new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer());
  if (isZip(bytes) || /\.(xlsx?|ods|numbers)$/i.test(file.name)) return "spreadsheet";
  const isWhole = file.size <= HEAD_BYTES;
  const text = decode(bytes, isWhole);
  if (text === undefined) return "encoding";
  const begin = text.trimStart();
  if (begin.startsWith("[")) return "json";
  const isJson = begin.startsWith("{");
  const read = isJson ? readObjects(text, isWhole) : readCells(text, isWhole);
  if (read === undefined) return "json";
  if (read.rows.length === 0) return "empty";
  const count = isWhole ? read.rows.length : Math.round(read.rows.length * file.size / HEAD_BYTES);
  return {
    name: file.name,
    body: file,
    type: isJson ? "application/x-ndjson" : "text/csv",
    columns: read.columns,
    rows: read.rows.slice(0, SHOWN_ROWS),
    count,
    isExact: isWhole,
  };
}

/** Excel's files are zip archives. */
function isZip([first, second]: Uint8Array): boolean {
  return first === 0x50 && second === 0x4b;
}

function decode(bytes: Uint8Array, isWhole: boolean): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: !isWhole });
  } catch {
    return undefined;
  }
}

interface Head {
  columns: string[];
  rows: Cells[];
}

function readCells(text: string, isWhole: boolean): Head {
  const [columns = [], ...rows] = parseCsv(text);
  // The last row of a beginning may be cut.
  const whole = isWhole ? rows : rows.slice(0, -1);
  return { columns, rows: whole.map((cells) => cellsOf(columns, cells)) };
}

function cellsOf(columns: string[], cells: string[]): Cells {
  return Object.fromEntries(columns.map((column, index) => [column, cells[index] ?? ""]));
}

function readObjects(text: string, isWhole: boolean): Head | undefined {
  const lines = text.split("\n");
  const whole = (isWhole ? lines : lines.slice(0, -1)).filter((line) => line.trim() !== "");
  try {
    const rows = whole.map((line) =>
      Object.fromEntries(
        Object.entries(JSON.parse(line) as Record<string, unknown>).map((
          [name, value],
        ) => [name, String(value ?? "")]),
      )
    );
    return { columns: [...new Set(rows.flatMap((row) => Object.keys(row)))], rows };
  } catch {
    return undefined;
  }
}

/** Makes a file of contacts that were typed or pasted: with a line that names the columns, or only the rows. */
export function typedFile(text: string): File {
  const rows = parseCsv(text);
  const [first = []] = rows;
  const isHeadless = first.some((cell) => /^[+\d][\d\s().-]{5,}$/.test(cell));
  const header = isHeadless
    ? [first.map((cell, index) => /^[+\d]/.test(cell) ? "Number" : `Column ${index + 1}`)]
    : [];
  const lines = [...header, ...rows].map((cells) => cells.map(quoted).join(","));
  return new File([lines.join("\r\n")], TYPED_NAME, { type: "text/csv" });
}

/** The name of what was typed, which no file has. */
export const TYPED_NAME = "";

function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** Reads single rows of a file, from 1, as it streams by: nothing of a large file is kept. */
export async function readRowsAt(file: ContactFile, wanted: number[]): Promise<Map<number, Cells>> {
  const found = new Map<number, Cells>();
  const last = Math.max(0, ...wanted);
  const isWanted = new Set(wanted);
  let row = 0;
  for await (const cells of rowsOf(file)) {
    row++;
    if (isWanted.has(row)) found.set(row, cells);
    if (row >= last) break;
  }
  return found;
}

async function* rowsOf({ body, type }: ContactFile): AsyncGenerator<Cells> {
  const text = textOf(body);
  if (type === "application/x-ndjson") return yield* objectsOf(text);
  let columns: string[] | undefined;
  for await (const cells of csvRows(text)) {
    if (columns === undefined) columns = cells;
    else yield cellsOf(columns, cells);
  }
}

async function* objectsOf(text: AsyncIterable<string>): AsyncGenerator<Cells> {
  let rest = "";
  for await (const part of text) {
    const lines = (rest + part).split("\n");
    rest = lines.pop()!;
    for (const line of lines) if (line.trim() !== "") yield readObject(line);
  }
  if (rest.trim() !== "") yield readObject(rest);
}

function readObject(line: string): Cells {
  try {
    return Object.fromEntries(
      Object.entries(JSON.parse(line)).map(([name, value]) => [name, String(value ?? "")]),
    );
  } catch {
    return {};
  }
}

/** In pieces, so that the page stays awake. */
async function* textOf(body: Blob): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for (let from = 0; from < body.size; from += HEAD_BYTES) {
    const piece = await body.slice(from, from + HEAD_BYTES).arrayBuffer();
    yield decoder.decode(piece, { stream: from + HEAD_BYTES < body.size });
  }
}
