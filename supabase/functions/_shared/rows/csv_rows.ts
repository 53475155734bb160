import { Readable } from "node:stream";
import { CsvError, type Info, parse } from "csv-parse";
import { FileFault, type FileRow, MAX_ROW_LENGTH } from "./file_row.ts";

/** The separators of spreadsheets: the comma, the semicolon of many countries, the tab. */
const SEPARATORS = [",", ";", "\t"] as const;

/**
 * Reads the rows of a CSV file, each as soon as it has arrived. The first line names the columns; its most frequent
 * separator counts. Empty rows are left out. A row with more or fewer cells than the first line has a problem.
 *
 * @param columns checks the names of the first line, and returns those to use
 * @throws {FileFault} when a quote is not closed, or a row is too long
 */
export async function* readCsvRows(
  text: AsyncIterable<string>,
  columns: (header: string[]) => string[] = (header) => header,
): AsyncGenerator<FileRow> {
  const parts = text[Symbol.asyncIterator]();
  try {
    let names: string[] | undefined;
    let row = 0;
    for await (const { record, info } of parseCsv(await readHead(parts), parts)) {
      if (names === undefined) names = columns(record);
      else yield describe(names, record, { row: ++row, line: info.lines, bytes: info.bytes });
    }
  } finally {
    // Not awaited: a read of the next part may be under way.
    void parts.return?.().catch(() => {});
  }
}

function describe(
  names: string[],
  cells: string[],
  place: Pick<FileRow, "row" | "line" | "bytes">,
): FileRow {
  const named = Object.fromEntries(cells.slice(0, names.length).map((cell, index) => [names[index]!, cell]));
  return {
    ...place,
    cells: named,
    source: JSON.stringify(place.row === 1 ? [names, cells] : cells),
    problem: cells.length === names.length
      ? null
      : `The row has ${cells.length} cells, and the first line names ${names.length} columns`,
  };
}

interface Parsed {
  record: string[];
  info: Info;
}

async function* parseCsv(head: string, rest: AsyncIterator<string>): AsyncGenerator<Parsed> {
  const parser = parse({
    delimiter: separatorOf(head),
    info: true,
    max_record_size: MAX_ROW_LENGTH,
    relax_column_count: true,
    // A single quote mark within a cell, as in 5" pipe, is text.
    relax_quotes: true,
    skip_empty_lines: true,
    skip_records_with_empty_values: true,
    trim: true,
  });
  const broken: { error?: unknown } = {};
  const input = Readable.from(joined(head, rest, broken), { objectMode: true });
  let last: Parsed | undefined;
  try {
    for await (const parsed of input.pipe(parser) as AsyncIterable<Parsed>) {
      if (last !== undefined) yield last;
      last = parsed;
    }
  } catch (error) {
    if ("error" in broken) throw broken.error;
    if (!(error instanceof CsvError)) throw error;
    throw new FileFault(faultOf(error), { cause: error });
  } finally {
    input.destroy();
  }
  // Where the file broke off, its last row may lack an end.
  if ("error" in broken) throw broken.error;
  if (last !== undefined) yield last;
}

function faultOf({ code, lines, message }: CsvError & { lines?: number }): string {
  if (code === "CSV_MAX_RECORD_SIZE" || code === "CSV_QUOTE_NOT_CLOSED") {
    return `The row that ends in line ${lines} has no end, or more than ${MAX_ROW_LENGTH} characters: ` +
      "probably a quote is not closed";
  }
  return `The file is not valid CSV: ${message}`;
}

/** A failure ends the text here and is kept in `broken`: as an error of the stream, it would discard rows that arrived. */
async function* joined(
  head: string,
  rest: AsyncIterator<string>,
  broken: { error?: unknown },
): AsyncGenerator<string> {
  yield head;
  try {
    for (let part = await rest.next(); !part.done; part = await rest.next()) yield part.value;
  } catch (error) {
    broken.error = error;
  }
}

/** Reads on until the first line is there. */
async function readHead(parts: AsyncIterator<string>): Promise<string> {
  let head = "";
  while (!/[\r\n]/.test(head.trimStart()) && head.length < MAX_ROW_LENGTH) {
    const part = await parts.next();
    if (part.done) break;
    head += part.value;
  }
  return head;
}

/** Returns the separator that the first line has most often outside of quotes. */
function separatorOf(head: string): string {
  const line = head.trimStart().replaceAll(/"[^"]*"?/g, "").split(/[\r\n]/, 1)[0]!;
  const counts = SEPARATORS.map((separator) => line.split(separator).length);
  return SEPARATORS[counts.indexOf(Math.max(...counts))]!;
}
