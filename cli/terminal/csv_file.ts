import { open } from "node:fs/promises";
import process from "node:process";
import { Readable } from "node:stream";
import { readCsvRows } from "../../supabase/functions/_shared/rows/csv_rows.ts";
import { decodeParts, FileFault } from "../../supabase/functions/_shared/rows/file_row.ts";
import { CommandError } from "../errors/command_error.ts";

/** An open CSV file. */
export interface CsvFile {
  csv: ReadableStream<Uint8Array>;
  /** Of the whole file; 0 for standard input. */
  bytes: number;
}

/**
 * Opens a CSV file; `-` is standard input.
 *
 * @throws {CommandError} `bad_value` when it cannot be read
 */
export async function openCsv(path: string): Promise<CsvFile> {
  if (path === "-") return { csv: webStream(process.stdin), bytes: 0 };
  try {
    const file = await open(path);
    return { csv: webStream(file.createReadStream()), bytes: (await file.stat()).size };
  } catch (cause) {
    throw new CommandError("bad_value", `The file ${path} cannot be read`, { cause });
  }
}

function webStream(stream: Readable): ReadableStream<Uint8Array> {
  return Readable.toWeb(stream) as unknown as ReadableStream<Uint8Array>;
}

/** A line of a CSV file: its cells by column, and where in the file it ends. */
export interface CsvRow {
  record: Record<string, string>;
  info: { lines: number; bytes: number };
}

/**
 * Reads the lines of a CSV file whose first line names the columns. Spaces around cells are left out.
 *
 * @param columns checks the names of the first line, and returns those to use
 * @throws {CommandError} `bad_value` when the file is no CSV
 */
export async function* readCsv(
  csv: ReadableStream<Uint8Array>,
  columns: (header: string[]) => string[],
): AsyncGenerator<CsvRow> {
  try {
    for await (const { cells, line, bytes, problem } of readCsvRows(decodeParts(csv), columns)) {
      if (problem !== null) throw new FileFault("row_length", `${problem} (line ${line})`);
      yield { record: cells as Record<string, string>, info: { lines: line, bytes } };
    }
  } catch (error) {
    if (!(error instanceof FileFault)) throw error;
    throw new CommandError("bad_value", `The file is not valid CSV: ${error.message}`, { cause: error });
  }
}

/** Returns the cells that are not empty. */
export function filledCells(row: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== ""));
}
